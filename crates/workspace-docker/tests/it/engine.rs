//! The engine that the tests use, where there is one.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use bollard::API_DEFAULT_VERSION;
use bollard::query_parameters::{InspectContainerOptions, ListContainersOptionsBuilder};
use workspace_docker::{Docker, DockerBuilder};

/// The address of the engine, where it is not the usual one.
const SOCKET: &str = "WORKSPACE_DOCKER_SOCK";
/// The name of the images, where it is not `workspace-test`: Podman puts `localhost/` before it.
const IMAGES: &str = "WORKSPACE_DOCKER_IMAGES";
/// `required` where the tests must not be skipped.
const WISH: &str = "WORKSPACE_DOCKER";

pub(crate) fn socket() -> String {
    std::env::var(SOCKET).unwrap_or_else(|_| "/var/run/docker.sock".into())
}

/// A client of the tests' own. It belongs to the runtime in which it is made.
pub(crate) fn client() -> bollard::Docker {
    bollard::Docker::connect_with_socket(&socket(), 60, API_DEFAULT_VERSION).unwrap()
}

pub(crate) async fn negotiated() -> bollard::Docker {
    client().negotiate_version().await.unwrap()
}

/// Whether the engine answers and has the image; says so where it does not.
pub(crate) fn has(image: &str) -> bool {
    static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
    let images = KNOWN.get_or_init(|| std::thread::spawn(images).join().unwrap());
    let there = images.iter().any(|known| known == &name(image));
    if !there {
        assert!(
            std::env::var(WISH).as_deref() != Ok("required"),
            "there must be an engine with the image `{}`: run `.ci/docker-up`",
            name(image)
        );
        println!("skipped: no engine with the image `{}`; `.ci/docker-up` starts one", name(image));
    }
    there
}

fn images() -> Vec<String> {
    let ask = async {
        let Ok(client) = bollard::Docker::connect_with_socket(&socket(), 60, API_DEFAULT_VERSION) else {
            return Vec::new();
        };
        let Ok(client) = client.negotiate_version().await else { return Vec::new() };
        let images = client.list_images(None::<bollard::query_parameters::ListImagesOptions>).await;
        images
            .map(|images| images.into_iter().flat_map(|image| image.repo_tags).collect())
            .unwrap_or_default()
    };
    runtime().block_on(ask)
}

pub(crate) fn name(image: &str) -> String {
    let of = std::env::var(IMAGES).unwrap_or_else(|_| "workspace-test".into());
    format!("{of}:{image}")
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap()
}

/// A container of a test image, marked as the test's.
pub(crate) fn fresh(image: &str, test: &str) -> DockerBuilder {
    Docker::from_image(name(image))
        .with_engine(socket())
        .with_label("workspace.test", test)
        .with_deadline(Duration::from_mins(1))
}

/// Where the volume of a container lies on this machine, for a test that runs as root beside the engine.
pub(crate) async fn volume(id: &str) -> Option<PathBuf> {
    let told = negotiated().await.inspect_container(id, None::<InspectContainerOptions>).await.ok()?;
    let source = told.mounts?.into_iter().find_map(|mount| mount.source)?;
    let source = PathBuf::from(source);
    std::fs::read_dir(&source).ok().map(|_| source)
}

/// The ids of the containers that a test has made and that are still there.
pub(crate) async fn left(test: &str) -> Vec<String> {
    let label = format!("workspace.test={test}");
    let filters = HashMap::from([("label", vec![label.as_str()])]);
    let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
    let found = negotiated().await.list_containers(Some(options)).await.unwrap();
    found.into_iter().filter_map(|container| container.id).collect()
}

/// Looks again and again until it holds.
pub(crate) async fn eventually<Fut: Future<Output = bool>>(what: &str, holds: impl Fn() -> Fut) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it never holds: {what}");
}
