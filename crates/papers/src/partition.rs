//! Partition tables.

use crate::Error;
use alba_cluster::{PartitionTable, Ratios};
use alba_table::{Schema, Table};

/// What a server may take in a phase.
pub(super) struct Portion {
    /// From 0.
    pub(super) server: usize,
    /// From 1.
    pub(super) phase: usize,
    pub(super) ratio: f64,
    pub(super) portion: u64,
    /// By the phase's end.
    pub(super) limit: u64,
}

/// Server by server, phase by phase.
pub(super) fn portions(partition: &PartitionTable, ratios: &Ratios) -> Vec<Portion> {
    let places = (0..partition.servers())
        .flat_map(|server| (1..=partition.phases()).map(move |phase| (server, phase)));
    let portion = |(server, phase)| Portion {
        server,
        phase,
        ratio: ratios.ratio(phase).value(),
        portion: partition.portion(server, phase).into(),
        limit: partition.limit(server, phase).into(),
    };
    places.map(portion).collect()
}

/// A row for each server, from 1, and phase, from 1: the phase's ratio, what the server may take in it, and by its end. The last
/// ratio repeats; a server whose portions end before another's has portions of 0 then.
///
/// # Errors
/// [`Error::Partition`].
pub fn partition(capacities: &[u32], ratios: &[String]) -> Result<Table, Error> {
    let ratios = Ratios::parse(ratios).map_err(Error::Partition)?;
    let partition = PartitionTable::new(capacities, &ratios).map_err(Error::Partition)?;
    let schema = Schema::new()
        .column("server", "", "its number, from 1", |row: &Portion| row.server + 1)
        .column("phase", "", "from 1", |row| row.phase)
        .column("ratio", "", "what is left of a capacity is divided by it in this phase", |row| row.ratio)
        .column("portion", "requests", "what the server may take in the phase", |row| row.portion)
        .column("limit", "requests", "what it may have taken by the phase's end", |row| row.limit);
    Ok(schema.table(portions(&partition, &ratios)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_table::Format;

    #[test]
    fn servers_whose_portions_end_early_keep_their_limit() {
        let table = partition(&[5, 1], &["2".to_owned(), "2.5".to_owned()]).unwrap();
        let mut csv = vec![];
        table.write(Format::Csv, &mut csv).unwrap();
        let expected = "server,phase,ratio,portion,limit\n1,1,2,3,3\n1,2,2.5,1,4\n2,1,2,1,1\n2,2,2.5,0,1\n";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
        assert!(partition(&[5], &["2,5".to_owned()]).is_err());
        assert!(partition(&[0], &["2".to_owned()]).is_err());
    }
}
