//! Partition tables.

use crate::Error;
use alba_cluster::{PartitionTable, Ratios};
use alba_table::Table;

/// Columns of a partition table.
pub(super) const COLUMNS: [&str; 5] = ["server", "phase", "ratio", "portion", "limit"];

/// A row for each server, from 1, and phase, from 1: the phase's ratio, what the server may take in it, and by its end. The last
/// ratio repeats; a server whose portions end before another's has portions of 0 then.
///
/// # Errors
/// [`Error::Partition`].
pub fn partition(capacities: &[u32], ratios: &[String]) -> Result<Table, Error> {
    let ratios = Ratios::parse(ratios).map_err(Error::Partition)?;
    let partition = PartitionTable::new(capacities, &ratios).map_err(Error::Partition)?;
    let mut table = Table::new(COLUMNS);
    for server in 0..partition.servers() {
        for phase in 1..=partition.phases() {
            let (portion, limit) = (partition.portion(server, phase), partition.limit(server, phase));
            table.push(vec![
                (server as u64 + 1).into(),
                (phase as u64).into(),
                ratios.ratio(phase).value().into(),
                u64::from(portion).into(),
                u64::from(limit).into(),
            ]);
        }
    }
    Ok(table)
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
