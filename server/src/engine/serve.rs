//! The whole server, from the data folder's lock to the end of the last Chrome.

use std::{io::Write, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use app::{
    api::room::ControlRoom,
    model::{caller::Caller, flow::example::ExampleRecording},
    ui::{App, FilesAt, shell},
};
use async_trait::async_trait;
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use leptos::{config::LeptosOptions, nonce::Nonce, prelude::provide_context};
use leptos_axum::{LeptosRoutes, generate_route_list};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Engine, assets::Assets};
use crate::{
    access::Accounts,
    cli::lock::{DataLock, LockError},
    config::Settings,
    egress::{Egress, Policy, RefusedPorts, RuleError},
    evidence::Files,
    gate::{Gates, SystemClock},
    http::{self, Http, Options, headers, health::Readiness, observe, problem},
    live::Changes,
    pool::{Pool, PoolError},
    practice,
    scheduler::{DevtoolsPorts, Rooms, Scheduler},
    store::{Store, StoreError},
};

/// How long a context may take to open before the pool counts as not ready.
const POOL_READY: Duration = Duration::from_secs(10);
/// How long open connections are given to end once nothing new is accepted.
const CLOSING: Duration = Duration::from_secs(5);

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The data folder cannot be made.
    #[error("cannot use the data folder {path}: {why}")]
    Data {
        /// The folder.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
    /// Another server holds the data folder.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database that was asked for is not one that this program stores in.
    #[error("the database '{0}' is not understood: it must be sqlite:PATH")]
    Database(String),
    /// What jobs may reach is not understood.
    #[error("in the settings, egress: {0}")]
    Policy(#[from] RuleError),
    /// No Chrome can be run.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {why}; choose another one with --listen")]
    Listen {
        /// The address.
        address: String,
        /// The system's words.
        why: std::io::Error,
    },
    /// The site's files were not found.
    #[error("the pages' files were not found at {0}: build with 'make build', or set LEPTOS_SITE_ROOT")]
    Site(PathBuf),
    /// The accounts cannot be read.
    #[error("the accounts cannot be read: {0}")]
    Accounts(String),
    /// Serving failed.
    #[error("serving failed: {0}")]
    Serve(std::io::Error),
}

/// The file of the database that the settings name.
///
/// # Errors
/// [`ServeError::Database`] where it is none of ours.
pub fn database(settings: &Settings) -> Result<PathBuf, ServeError> {
    match &settings.server.database {
        None => Ok(settings.server.data.join("signalbox.db")),
        Some(url) => {
            let path = url.strip_prefix("sqlite:").map(|path| path.trim_start_matches("//"));
            path.filter(|path| !path.is_empty())
                .map(PathBuf::from)
                .ok_or_else(|| ServeError::Database(url.clone()))
        }
    }
}

/// Runs the server until it is told to stop.
///
/// # Errors
/// [`ServeError`], each with what to do where something can be done.
pub async fn serve(settings: Settings) -> Result<(), ServeError> {
    let data = settings.server.data.clone();
    std::fs::create_dir_all(&data).map_err(|why| ServeError::Data { path: data.clone(), why })?;
    let _lock = DataLock::take(&data)?;
    let site = site_root()?;
    let assets = Assets::of(site.clone()).map_err(|_| ServeError::Site(site))?;
    let listener = listen(&settings.server.listen).await?;
    let address = listener.local_addr().map_err(ServeError::Serve)?;
    let public_url = settings.server.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let drain = Duration::from_secs(settings.server.drain_s);

    let (engine, accounts) = start(settings, address).await?;
    let stop = CancellationToken::new();
    let router = router(&engine, &public_url, assets, stop.clone());
    let serving = tokio::spawn(http::serve::serve(listener, router, stop.clone()));

    announce(&accounts, &public_url).await?;
    told_to_stop().await;
    tracing::info!("stopping: what runs has {} s to end", drain.as_secs());
    stop.cancel();
    engine.stop(drain).await;
    match tokio::time::timeout(CLOSING, serving).await {
        Ok(Ok(Err(why))) => Err(ServeError::Serve(why)),
        // A connection that stays open does not keep the server from ending.
        _ => Ok(()),
    }
}

/// Opens the data folder and starts every room but the front. Whoever calls this holds the folder's lock.
/// `address` is where the front listens: no job may reach it.
///
/// # Errors
/// [`ServeError`], each with what to do where something can be done.
pub async fn start(settings: Settings, address: SocketAddr) -> Result<(Engine, Accounts), ServeError> {
    let data = settings.server.data.clone();
    let store = Store::open(&database(&settings)?).await?;
    let refused = RefusedPorts::default();
    refused.add(address.port());
    let egress = Egress::start(Policy::new(&settings.egress, refused.clone())?);
    let node = node_name();
    let pool = Pool::start(&settings.pool, &data, &node).await?;
    let rooms = Rooms {
        gates: Gates::new(&settings.gate, SystemClock::default()),
        evidence: Files::under(&data),
        changes: Changes::default(),
        node: node.into(),
        devtools: DevtoolsPorts::new(refused),
        settings: Arc::new(settings),
        store: store.clone(),
        pool,
        egress,
    };
    let lost = Scheduler::recover(&rooms).await?;
    if lost > 0 {
        tracing::warn!(lost, "the server ended while tasks ran: they were taken back");
    }
    let accounts = Accounts::new(store);
    Ok((Engine::start(rooms, accounts.clone()), accounts))
}

async fn listen(address: &str) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|why| ServeError::Listen { address: address.to_owned(), why })
}

/// Prints where to go: with the first admin's link while nobody has an account.
async fn announce(accounts: &Accounts, public_url: &str) -> Result<(), ServeError> {
    let base = public_url.trim_end_matches('/');
    let link = accounts.first_admin_link().await.map_err(|error| ServeError::Accounts(error.to_string()))?;
    let mut lines = format!("Signalbox is at {base}/\n");
    if let Some(secret) = link {
        lines.push_str(&format!("sign-in: {base}/sign-in?once={}\n", secret.reveal()));
    }
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(lines.as_bytes()).and_then(|()| out.flush()) {
        // Nobody reads: the server runs all the same.
        tracing::warn!(%error, "the address could not be printed");
    }
    Ok(())
}

/// Waits for SIGTERM or SIGINT.
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = match signal(SignalKind::terminate()) {
        Ok(terminate) => terminate,
        Err(error) => {
            tracing::error!(%error, "SIGTERM cannot be heard: only Ctrl-C ends the server in order");
            let _interrupted = tokio::signal::ctrl_c().await;
            return;
        }
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// The node's name: the machine's, as the kernel has it.
fn node_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Where the pages' files are: beside the program, whatever folder it is started from.
fn site_root() -> Result<PathBuf, ServeError> {
    if let Some(given) = std::env::var_os("LEPTOS_SITE_ROOT") {
        return Ok(PathBuf::from(given));
    }
    let program = std::env::current_exe().map_err(ServeError::Serve)?;
    let folder = program.parent().unwrap_or(std::path::Path::new("."));
    // target/release/signalbox has them in target/site; an installed one in site beside it.
    let places = [folder.join("site"), folder.join("../site")];
    places
        .iter()
        .find(|place| place.join("pkg").is_dir())
        .cloned()
        .ok_or_else(|| ServeError::Site(places[1].clone()))
}

/// What the pages' handlers share.
#[derive(Clone, axum::extract::FromRef)]
struct Pages {
    options: LeptosOptions,
    assets: Assets,
    room: Arc<dyn ControlRoom>,
}

fn router(engine: &Engine, public_url: &str, assets: Assets, drain: CancellationToken) -> Router {
    let room: Arc<dyn ControlRoom> = Arc::new(engine.clone());
    let options = Options {
        public_url: public_url.to_owned(),
        limits: engine.settings().http.clone(),
        metrics: observe::recorder(),
        readiness: Arc::new(Ready(engine.clone())),
        drain,
    };
    let http = Http::new(room.clone(), options);
    let leptos = LeptosOptions::builder()
        .output_name("signalbox")
        .site_root(assets.site().to_string_lossy().into_owned())
        .site_pkg_dir("pkg")
        .build();
    let pages = Pages { options: leptos, assets, room };
    let routes = generate_route_list(App);
    let pages: Router = Router::new()
        .route("/fn/{*name}", axum::routing::post(server_function))
        .leptos_routes_with_handler(routes, axum::routing::get(page))
        .fallback(asset_or_not_found)
        .with_state(pages);
    http.protect(http.routes().merge(pages))
}

/// What the pages find in their context.
fn provide(room: &Arc<dyn ControlRoom>, caller: Option<&Caller>) {
    provide_context(room.clone());
    if let Some(caller) = caller {
        provide_context(caller.clone());
    }
    let examples: Vec<ExampleRecording> =
        practice::EXAMPLES.iter().map(practice::Example::to_model).collect();
    provide_context(examples);
}

async fn page(State(pages): State<Pages>, request: Request) -> Response {
    let caller = request.extensions().get::<Caller>().cloned();
    let options = pages.options.clone();
    let room = pages.room.clone();
    let base = pages.assets.base();
    let nonce = Nonce::new();
    let policy = headers::page_policy(&nonce);
    let handler = leptos_axum::render_app_async_with_context(
        move || {
            provide_context(nonce.clone());
            provide_context(FilesAt(base.clone()));
            provide(&room, caller.as_ref());
        },
        move || shell(options.clone()),
    );
    let mut response = handler(request).await.into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

async fn server_function(State(pages): State<Pages>, request: Request<Body>) -> Response {
    let caller = request.extensions().get::<Caller>().cloned();
    let room = pages.room.clone();
    leptos_axum::handle_server_fns_with_context(move || provide(&room, caller.as_ref()), request)
        .await
        .into_response()
}

/// Files of the pages; all else is not there.
async fn asset_or_not_found(State(pages): State<Pages>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if path.starts_with("/api/") {
        return problem::not_found().await.into_response();
    }
    if !path.starts_with("/pkg/") {
        return page(State(pages), request).await;
    }
    pages.assets.serve(request).await
}

/// Whether store and pool are well.
struct Ready(Engine);

#[async_trait]
impl Readiness for Ready {
    async fn store(&self) -> Result<(), String> {
        crate::store::tasks::counts(self.0.store().read())
            .await
            .map(|_| ())
            .map_err(|error| error.to_string())
    }

    async fn pool(&self) -> Result<(), String> {
        self.0.pool().probe(POOL_READY).await.map(|_| ()).map_err(|error| error.to_string())
    }
}
