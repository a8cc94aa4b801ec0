//! The description of the API, held against a golden file, so that no change of it goes unseen.

const HINT: &str = "the API is no longer what its golden file says. If that is meant, look at the difference after \
    `UPDATE_GOLDEN=1 cargo test -p lockgate-api --test openapi` and keep the file with the change";

#[test]
fn the_description_of_the_api_is_that_of_the_golden_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/openapi.json");
    let found = lockgate_api::document().to_pretty_json().expect("the description is JSON") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &found).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(path).unwrap_or_default();
    let (found, golden): (Vec<&str>, Vec<&str>) = (found.lines().collect(), golden.lines().collect());
    let differs = found.iter().zip(&golden).position(|(one, other)| one != other);
    let differs = differs.or_else(|| (found.len() != golden.len()).then(|| found.len().min(golden.len())));
    if let Some(at) = differs {
        let shown = |lines: &[&str]| {
            lines[at.min(lines.len())..].iter().take(5).fold(String::new(), |all, line| all + line + "\n")
        };
        panic!(
            "{HINT}.\nFrom line {} on the file has\n{}and the API has\n{}",
            at + 1,
            shown(&golden),
            shown(&found)
        );
    }
}
