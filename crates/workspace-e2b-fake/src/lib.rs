//! An E2B control plane and its sandboxes on this machine, for tests.
