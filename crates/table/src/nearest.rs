//! Which name a person may have meant.

/// The name that is fewest edits (a letter more, less or other, two neighbours exchanged) away from `given`; none
/// if all need more than a third of its letters.
pub fn nearest<'n>(given: &str, names: &[&'n str]) -> Option<&'n str> {
    let most = (given.chars().count() / 3).max(1);
    names
        .iter()
        .map(|name| (strsim::osa_distance(given, name), *name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_only() {
        let names = ["arrival_rate", "servers", "buffer"];
        assert_eq!(nearest("arival_rate", &names), Some("arrival_rate"));
        assert_eq!(nearest("sevrers", &names), Some("servers"));
        assert_eq!(nearest("d", &names), None);
        assert_eq!(nearest("lambda", &names), None);
    }
}
