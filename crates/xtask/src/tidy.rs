//! All checks, run over the repository. The test at the end makes `cargo test` hold them too.

use crate::finding::Finding;
use crate::packages::Package;
use crate::tree::{self, Tree};
use crate::{bans, codes, layers, licences, links, packages, shape, words};

type FileCheck = fn(&Tree) -> Vec<Finding>;
type PackageCheck = fn(&[Package]) -> Vec<Finding>;

const FILE_CHECKS: [FileCheck; 5] = [bans::check, codes::check, shape::check, words::check, links::check];
const PACKAGE_CHECKS: [PackageCheck; 3] = [layers::check, packages::check, licences::check];

/// Every finding in the repository this program was built from.
pub(crate) fn run() -> anyhow::Result<Vec<Finding>> {
    let root = tree::root()?;
    let packages = packages::read(&root)?;
    let tree = Tree::read(&root)?;
    let by_package = PACKAGE_CHECKS.iter().flat_map(|check| check(&packages));
    let by_file = FILE_CHECKS.iter().flat_map(|check| check(&tree));
    Ok(by_package.chain(by_file).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let findings = run().expect("the repository can be read");
        let failures: Vec<_> =
            findings.iter().filter(|finding| finding.fails()).map(ToString::to_string).collect();
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }
}
