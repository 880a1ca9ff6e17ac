//! Closed classes: states that lead to each other and nowhere else.

use crate::Generator;

/// The states of every closed class, each increasing.
///
/// # Source
/// R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM Journal on Computing, 1972, along the jumps
/// backwards, with a stack of its own: a chain is deeper than a thread's stack.
pub(crate) fn closed(generator: &Generator) -> Vec<Vec<u32>> {
    let component = components(generator);
    let count = component.iter().max().map_or(0, |&last| last as usize + 1);
    let mut is_closed = vec![true; count];
    for state in 0..generator.states() {
        for (source, _) in generator.inflows(state) {
            if component[source] != component[state] {
                is_closed[component[source] as usize] = false;
            }
        }
    }
    let mut classes: Vec<Vec<u32>> = vec![vec![]; count];
    for (state, &component) in (0..).zip(&component) {
        if is_closed[component as usize] {
            classes[component as usize].push(state);
        }
    }
    classes.retain(|class| !class.is_empty());
    classes
}

/// A state on the way of the search, and how many of its inflows were followed.
struct Visit {
    state: usize,
    followed: usize,
}

/// Numbers from 0 of the strongly connected components of all states.
fn components(generator: &Generator) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let states = generator.states();
    let (mut component, mut order) = (vec![NONE; states], vec![NONE; states]);
    let mut lowest = vec![NONE; states];
    let (mut visited, mut found) = (0, 0);
    let (mut path, mut open): (Vec<Visit>, Vec<usize>) = (vec![], vec![]);
    for root in 0..states {
        if order[root] != NONE {
            continue;
        }
        path.push(Visit { state: root, followed: 0 });
        while let Some(visit) = path.last_mut() {
            let state = visit.state;
            if visit.followed == 0 && order[state] == NONE {
                order[state] = visited;
                lowest[state] = visited;
                visited += 1;
                open.push(state);
            }
            if let Some(source) = generator.source(state, visit.followed) {
                visit.followed += 1;
                if order[source] == NONE {
                    path.push(Visit { state: source, followed: 0 });
                } else if component[source] == NONE {
                    lowest[state] = lowest[state].min(order[source]);
                }
                continue;
            }
            path.pop();
            if let Some(parent) = path.last() {
                lowest[parent.state] = lowest[parent.state].min(lowest[state]);
            }
            if lowest[state] == order[state] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}
