//! A workspace inside an E2B sandbox.
