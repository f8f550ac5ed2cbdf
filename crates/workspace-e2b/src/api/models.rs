//! What the control plane takes and gives, as far as it is used.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// A sandbox to make. What is not set is left out.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewSandbox {
    #[serde(rename = "templateID")]
    pub(crate) template_id: String,
    /// Seconds.
    pub(crate) timeout: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) auto_pause: bool,
    /// The old call alone knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) secure: Option<bool>,
    /// Alone among all not in camel case.
    #[serde(rename = "allow_internet_access")]
    pub(crate) allow_internet_access: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<NewNetwork>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) env_vars: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewNetwork {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) allow_public_traffic: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) allow_out: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) deny_out: Vec<String>,
}

/// A sandbox that was made or attached to.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Made {
    #[serde(rename = "sandboxID")]
    pub(crate) sandbox_id: String,
    pub(crate) envd_version: String,
    pub(crate) envd_access_token: Option<SecretString>,
    pub(crate) traffic_access_token: Option<SecretString>,
    pub(crate) domain: Option<String>,
}

/// A sandbox in a list, or asked about by its id.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listed {
    #[serde(rename = "sandboxID")]
    pub(crate) sandbox_id: String,
    #[serde(rename = "templateID")]
    pub(crate) template_id: String,
    pub(crate) alias: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) started_at: Option<String>,
    pub(crate) end_at: Option<String>,
    pub(crate) envd_version: Option<String>,
    pub(crate) metadata: Option<BTreeMap<String, String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_is_left_out() {
        let mut new = NewSandbox {
            template_id: "base".into(),
            timeout: 300,
            auto_pause: false,
            secure: None,
            allow_internet_access: false,
            network: None,
            metadata: BTreeMap::from([("app".into(), "prod".into())]),
            env_vars: BTreeMap::new(),
        };
        let text = |new: &NewSandbox| serde_json::to_string(new).unwrap();
        assert_eq!(
            text(&new),
            r#"{"templateID":"base","timeout":300,"allow_internet_access":false,"metadata":{"app":"prod"},"envVars":{}}"#
        );
        new.secure = Some(true);
        new.auto_pause = true;
        let network = NewNetwork {
            allow_public_traffic: Some(false),
            allow_out: vec!["1.1.1.1".into()],
            deny_out: Vec::new(),
        };
        new.network = Some(network);
        assert!(text(&new).contains(r#""autoPause":true,"secure":true,"#));
        assert!(text(&new).contains(r#""network":{"allowPublicTraffic":false,"allowOut":["1.1.1.1"]}"#));
    }

    #[test]
    fn a_token_is_not_shown() {
        let made: Made = serde_json::from_str(
            r#"{"templateID":"base","sandboxID":"i1","clientID":"0","envdVersion":"0.6.13","envdAccessToken":"tok0000001","trafficAccessToken":null,"domain":null,"new":1}"#,
        )
        .unwrap();
        assert!(!format!("{made:?}").contains("tok0"));
        assert!(made.domain.is_none());
    }
}
