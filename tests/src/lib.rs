//! Black-box scenarios; see the folder `tests/`.
