//! The pages' files. Their addresses carry the build, so that a browser keeps them for as long as it likes and asks
//! for none of them again: a page has many, because each island is a piece of code of its own.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use tower::ServiceExt;

use crate::http::problem;

/// Hexadecimal digits of a build's name.
const DIGITS: usize = 12;
/// What is under a build's address never changes. A year is what caches take for for ever.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The files of one build. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Assets {
    site: Arc<Path>,
    /// The base of the files' addresses: `/pkg/` and the build's name.
    base: Arc<str>,
}

impl Assets {
    /// Those in a site's folder, named by what is in them. A folder without any serves none: the API needs no
    /// pages.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(super) fn of(site: PathBuf) -> std::io::Result<Self> {
        let mut files: Vec<PathBuf> = match std::fs::read_dir(site.join("pkg")) {
            Ok(entries) => {
                entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>()?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        files.retain(|file| {
            file.extension().is_some_and(|kind| ["js", "wasm", "css"].iter().any(|k| kind == *k))
        });
        files.sort();
        let mut hash = Sha256::new();
        for file in &files {
            hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
            hash.update(std::fs::read(file)?);
        }
        let name: String =
            hash.finalize().iter().map(|byte| format!("{byte:02x}")).take(DIGITS / 2).collect();
        Ok(Self { site: site.into(), base: format!("/pkg/{name}").into() })
    }

    /// The base of the files' addresses.
    pub(super) fn base(&self) -> Arc<str> {
        self.base.clone()
    }

    /// The site's folder.
    pub(super) fn site(&self) -> &Path {
        &self.site
    }

    /// Answers with a file. One that is asked for without the build, or by a build that is gone, may be another
    /// one by now: the one is asked for again each time, the other is not there.
    pub(super) async fn serve(&self, request: Request) -> Response {
        let path = request.uri().path();
        let (path, caching) = match path.strip_prefix(&*self.base).filter(|rest| rest.starts_with("/pkg/")) {
            Some(rest) => (rest.to_owned(), FOR_EVER),
            None => (path.to_owned(), "no-cache"),
        };
        let Ok(uri) = path.parse::<Uri>() else { return problem::not_found().await.into_response() };
        let (mut parts, body) = request.into_parts();
        parts.uri = uri;
        let files = tower_http::services::ServeDir::new(&*self.site).precompressed_br().precompressed_gzip();
        let Ok(response) = files.oneshot(Request::from_parts(parts, body)).await;
        if response.status() == StatusCode::NOT_FOUND {
            return problem::not_found().await.into_response();
        }
        let mut response = response.map(Body::new).into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(assets: &Assets, path: &str) -> (u16, String) {
        let request = Request::builder().uri(path).body(Body::empty()).expect("a request");
        let response = assets.serve(request).await;
        let caching =
            response.headers().get(header::CACHE_CONTROL).map(|value| value.to_str().expect("text"));
        (response.status().as_u16(), caching.unwrap_or_default().to_owned())
    }

    #[tokio::test]
    async fn a_builds_files_are_kept_for_ever_and_another_builds_are_not_there() {
        let site = tempfile::tempdir().expect("a folder");
        let pkg = site.path().join("pkg");
        std::fs::create_dir(&pkg).expect("a folder");
        std::fs::write(pkg.join("a.wasm"), "one").expect("written");
        let first = Assets::of(site.path().to_path_buf()).expect("assets");
        let named = format!("{}/pkg/a.wasm", first.base());
        assert_eq!(asked(&first, &named).await, (200, FOR_EVER.to_owned()));
        assert_eq!(asked(&first, "/pkg/a.wasm").await, (200, "no-cache".to_owned()));
        assert_eq!(asked(&first, &format!("{}/pkg/b.wasm", first.base())).await.0, 404);
        assert_eq!(asked(&first, &format!("{}/../../secret", first.base())).await.0, 404);
        std::fs::write(pkg.join("a.wasm"), "two").expect("written");
        let second = Assets::of(site.path().to_path_buf()).expect("assets");
        assert_ne!(first.base(), second.base());
        assert_eq!(asked(&second, &named).await.0, 404);
    }
}
