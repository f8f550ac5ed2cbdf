//! Any operations leave the tree that the kit's model leaves.

use proptest::prelude::{ProptestConfig, proptest};
use workspace_memory::Memory;
use workspace_testkit::{compare, operations};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_operations_do_what_the_model_does(operations in operations(40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        if let Err(difference) = runtime.block_on(compare(&Memory::new(), &operations)) {
            panic!("{difference}");
        }
    }
}
