//! The project: a crate without dependencies, with two faults that its tests find.

/// Its files, by path.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"basket\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n"),
    ("README.md", "# basket\n\nPrices in cents, and what a basket of them costs.\n"),
    ("src/lib.rs", "//! A basket of goods.\n\npub mod discount;\npub mod total;\n"),
    (
        "src/total.rs",
        r"//! What a basket costs.

/// The sum of prices in cents.
pub fn total(prices: &[u32]) -> u32 {
    prices.iter().skip(1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_price_counts() {
        assert_eq!(total(&[250, 100, 50]), 400);
    }
}
",
    ),
    (
        "src/discount.rs",
        r"//! What is taken off.

/// A price in cents after a discount in percent, rounded down.
pub fn discounted(price: u32, percent: u32) -> u32 {
    price - price / 100 * percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_prices_are_discounted_too() {
        assert_eq!(discounted(1000, 10), 900);
        assert_eq!(discounted(50, 10), 45);
    }
}
",
    ),
];
