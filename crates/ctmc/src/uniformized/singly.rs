//! Steps that are taken one by one: of rare classes, at the edges of the table, or with bits to be drawn again.

use rand::Rng;

use crate::pick::Pick;
use crate::random::{below, below_by_31_bits};
use crate::uniformized::Uniformized;
use crate::uniformized::bounds::Class;
use crate::uniformized::frequent::more_bits;
use crate::uniformized::table::{State, Step};

impl<P: Pick> Uniformized<P> {
    /// An arrival or a completion that was not worked out ahead, from its own bits.
    pub(super) fn take_undecided(&mut self) {
        let (draw, more) = (self.draws[self.next], more_bits::<P>(&self.more, self.next));
        let (class, bits) = ((draw >> 32) as u32, draw as u32);
        if class >= self.bounds.frequent_below {
            return self.take_rare();
        }
        if class < self.bounds.quiet_below {
            let rank = below(self.bounds.busy, bits, &mut self.rng);
            let step = self.complete(rank);
            return self.take(step);
        }
        if P::CHOICES == 0 {
            let level = self.level_to_join();
            return self.arrive(level);
        }
        let (pick, State { warm, tails, .. }) = (self.system.pick, &self.table.state);
        let candidates = pick.candidates(*warm, tails);
        let first = if P::BARS {
            below_by_31_bits(candidates.1, bits >> 1, &mut self.rng)
        } else {
            below(candidates.1, bits, &mut self.rng)
        };
        let rank = pick.rank(true, candidates.0 + first, candidates, more, &mut self.rng);
        self.arrive(self.table.level(rank));
    }

    pub(super) fn take_rare(&mut self) {
        let class = self.bounds.rare(&mut self.rng);
        self.take_class(class);
    }

    /// A step of a class that is not worked out ahead, or whose share of the class there is what rounding has left.
    pub(super) fn take_class(&mut self, class: Class) {
        let state = &self.table.state;
        let (cold, initializing, idle) = (state.cold, state.initializing, state.idle());
        let step = match class {
            Class::Completion => {
                let rank = self.uniform_below(self.bounds.busy);
                self.complete(rank)
            }
            Class::Quiet => Step::IDLE_SCALING,
            Class::Arrival => {
                let level = self.level_to_join();
                return self.arrive(level);
            }
            Class::Lost if P::STARTS && cold > 0 => Step::LOST.with_start(),
            Class::Lost => Step::LOST,
            Class::Scaling => {
                let share = self.system.most_scale_ups();
                let up = self.system.scales_up(share, state.places(), &state.tails, &mut self.rng);
                if up { Step::SCALE_UP } else { Step::IDLE_SCALING }
            }
            Class::Initialization if self.uniform_below(self.bounds.initializing) < initializing => {
                Step::INITIALIZATION
            }
            Class::Expiration if self.uniform_below(self.bounds.idle) < idle => Step::EXPIRATION,
            Class::Initialization | Class::Expiration => Step::NULL,
        };
        self.take(step);
    }

    pub(super) fn uniform_below(&mut self, bound: u32) -> u32 {
        let bits = self.rng.next_u64() as u32;
        below(bound, bits, &mut self.rng)
    }

    /// The server of `rank` finishes a job, if it has one.
    pub(super) fn complete(&mut self, rank: u32) -> Step {
        let level = self.table.level(rank);
        if level == 0 {
            return Step::NULL;
        }
        self.table.complete(level);
        Step::completion(level)
    }

    pub(super) fn level_to_join(&mut self) -> u8 {
        let pick = self.system.pick;
        let candidates = pick.candidates(self.table.state.warm, &self.table.state.tails);
        let first = candidates.0 + self.uniform_below(candidates.1);
        let more = self.rng.next_u64();
        let rank = pick.rank(true, first, candidates, more, &mut self.rng);
        self.table.level(rank)
    }

    /// A job comes to a server with `level` jobs.
    pub(super) fn arrive(&mut self, level: u8) {
        let joined = if self.system.buffer.has_room(level.into()) {
            self.table.accept(level);
            Step::accepted(level)
        } else {
            Step::REJECTED
        };
        let starts = P::STARTS && level > 0 && self.table.state.cold > 0;
        self.take(if starts { joined.with_start() } else { joined });
    }

    /// Moves servers at a step that has moved its job, and writes it down.
    pub(super) fn take(&mut self, step: Step) {
        if self.table.state.apply(step) {
            self.decoded = 0;
        }
        self.tally.count(step, 1);
        self.burst.push(step);
        self.next += 1;
    }
}
