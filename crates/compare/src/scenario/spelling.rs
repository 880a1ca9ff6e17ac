//! Which name a person may have meant.

/// The name that is fewest edits (a letter more, less or other, two neighbours exchanged) away from `given`; none
/// if all need more than a third of its letters.
pub(crate) fn nearest<'n>(given: &str, names: &[&'n str]) -> Option<&'n str> {
    let most = (given.chars().count() / 3).max(1);
    names
        .iter()
        .map(|name| (edits(given, name), *name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Optimal string alignment distance, by dynamic programming over prefixes.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let exchanged: &Vec<usize> = &before_last;
                least = least.min(exchanged[j - 2] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("theta", "thtea"), 1);
        assert_eq!(edits("blind", "blind"), 0);
    }

    #[test]
    fn near_names_only() {
        let names = ["arrival_rate", "servers", "buffer"];
        assert_eq!(nearest("arival_rate", &names), Some("arrival_rate"));
        assert_eq!(nearest("sevrers", &names), Some("servers"));
        assert_eq!(nearest("d", &names), None);
        assert_eq!(nearest("lambda", &names), None);
    }
}
