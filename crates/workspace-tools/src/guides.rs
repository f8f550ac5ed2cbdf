//! The examples of the guides, compiled and run with the tests.

#[doc = include_str!("../../../README.md")]
struct Readme;

#[doc = include_str!("../../../docs/policy.md")]
struct ThePolicy;

#[doc = include_str!("../../../docs/use-the-library.md")]
struct UseTheLibrary;

#[doc = include_str!("../../../docs/write-a-backend.md")]
struct WriteABackend;
