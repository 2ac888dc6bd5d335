//! Suggestions for unknown names in error messages, by the same rule for all kinds of names.

/// Longest word that is compared: longer words are not typing errors, and the time grows with the square of the length.
const LONGEST: usize = 64;

/// Similarity (Jaro and Winkler, 1 for equal names) from which names with a common beginning are suggested despite many
/// edits: one of them is an abbreviation, even of one letter, or incomplete.
const COMMON_BEGINNING: f64 = 0.78;

/// Returns the known name that `word` was probably meant to be; among equally near names the first.
///
/// Case, hyphens and underscores are ignored, since documents differ in them. The name with the fewest edits is
/// returned (insertion, deletion, substitution, swap of neighbours: Damerau 1964; at most one, and one more per three
/// letters); more distant names must have a common beginning.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.trim();
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let word = plain(word);
    let mut fewest_edits: Option<(usize, &str)> = None;
    let mut most_alike: Option<(f64, &str)> = None;
    for name in known {
        let known = plain(name);
        let length = known.chars().count();
        let edits = strsim::damerau_levenshtein(&word, &known);
        // A name with an edit for each of its letters has nothing in common with the word.
        if edits <= 1 + length / 3 && edits < length && fewest_edits.is_none_or(|best| edits < best.0) {
            fewest_edits = Some((edits, name));
        }
        let likeness = strsim::jaro_winkler(&word, &known);
        if likeness >= COMMON_BEGINNING && most_alike.is_none_or(|best| likeness > best.0) {
            most_alike = Some((likeness, name));
        }
    }
    fewest_edits.map(|best| best.1).or(most_alike.map(|best| best.1))
}

/// Returns `true` if a word is a known name with one letter more, less or changed, or with two neighbours swapped.
pub fn is_slip(word: &str, known: &str) -> bool {
    strsim::damerau_levenshtein(word, known) == 1
}

/// Returns the end of a message about an unknown name: ` (did you mean ...?)`, or nothing.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// Returns the name without case, hyphens and underscores.
fn plain(name: &str) -> String {
    name.to_lowercase().replace(['-', '_'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_lead_to_the_name() {
        let names = ["dsnf", "bfs", "nearest", "random_shortest", "up_down", "ecmp", "n"];
        for (word, name) in [
            ("bsf", "bfs"),
            ("dsn", "dsnf"),
            ("Random-Shotest", "random_shortest"),
            ("updown", "up_down"),
            ("UP-DOWN", "up_down"),
            ("random", "random_shortest"),
            ("ecpm", "ecmp"),
            ("N", "n"),
            ("num", "n"),
        ] {
            assert_eq!(nearest(word, names), Some(name), "{word}");
        }
    }

    #[test]
    fn other_words_lead_nowhere() {
        for word in ["", "q", "xyz", "torus", "MPI_Win_fence", &"b".repeat(LONGEST + 1)] {
            assert_eq!(nearest(word, ["dsnf", "bfs", "up_down", "n"]), None, "{word}");
        }
    }

    #[test]
    fn the_first_of_equals_is_named() {
        assert_eq!(nearest("cat", ["bat", "hat"]), Some("bat"));
        assert_eq!(nearest("cat", ["hat", "bat"]), Some("hat"));
    }
}
