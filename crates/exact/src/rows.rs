//! The jumps out of states, as they are found.

/// States that are handled at a time, in parallel where there are more. Sums over states are sums of sums over blocks:
/// the same on any number of threads, with a smaller rounding error than one long sum.
pub(crate) const BLOCK: usize = 2048;

/// The jumps out of one state after another, in blocks of [`BLOCK`] states: what is held does not move as more comes.
#[derive(Default)]
pub(crate) struct Rows {
    blocks: Vec<Block>,
}

/// The jumps out of at most [`BLOCK`] states.
#[derive(Default)]
pub(crate) struct Block {
    /// Where the jumps out of each state end.
    ends: Vec<u32>,
    targets: Vec<u32>,
    rates: Vec<f64>,
}

impl Block {
    /// One more jump out of the state after the last whose jumps are complete.
    pub(crate) fn push(&mut self, target: u32, rate: f64) {
        self.targets.push(target);
        self.rates.push(rate);
    }

    /// There are no more jumps out of that state.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.targets.len() as u32);
    }
}

impl Rows {
    /// All but the last are full.
    pub(crate) fn new(blocks: Vec<Block>) -> Self {
        Self { blocks }
    }

    /// The block of the next state.
    pub(crate) fn last(&mut self) -> &mut Block {
        if self.blocks.last().is_none_or(|block| block.ends.len() == BLOCK) {
            self.blocks.push(Block::default());
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    /// Where the state number `index` leads, and how fast.
    pub(crate) fn row(&self, index: usize) -> (&[u32], &[f64]) {
        let (block, index) = (&self.blocks[index / BLOCK], index % BLOCK);
        let begin = if index == 0 { 0 } else { block.ends[index - 1] as usize };
        let row = begin..block.ends[index] as usize;
        (&block.targets[row.clone()], &block.rates[row])
    }

    /// Where all jumps lead.
    pub(crate) fn targets(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|block| block.targets.iter().copied())
    }

    /// Calls every state that is entered `number[target]`.
    pub(crate) fn renumber(&mut self, number: &[u32]) {
        for target in self.blocks.iter_mut().flat_map(|block| &mut block.targets) {
            *target = number[*target as usize];
        }
    }
}
