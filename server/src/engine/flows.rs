//! Flows, for the control room.

use app::{
    api::room::{Answer, Flows, allow},
    model::{
        caller::{Caller, Role},
        flow::{Checked, FlowVersion, NewFlow, params, parse},
        page::{Page, PageQuery},
        problem::{AppError, FieldError},
    },
};
use async_trait::async_trait;
use futures::FutureExt;
use serde_json::Value;

use super::{
    Engine,
    errors::{WorkError, store},
    submit::{named, new_version, under_flow},
};
use crate::{
    queue::is_private,
    store::{
        TaskRow,
        flows::{self, FlowRow},
    },
};

#[async_trait]
impl Flows for Engine {
    async fn check_flow(&self, caller: &Caller, recording: Value) -> Answer<Checked> {
        allow(caller, Role::Viewer)?;
        parse::check(&recording).map_err(under_flow)
    }

    async fn save_flow(&self, caller: &Caller, new: NewFlow) -> Answer<FlowVersion> {
        allow(caller, Role::Operator)?;
        let flow = parse::flow(&new.flow).map_err(under_flow)?;
        let faults = specs(&new);
        if !faults.is_empty() {
            return Err(AppError::BadInput { errors: faults });
        }
        let by = self.settings().gate.site;
        let version = new_version(
            &new.flow,
            &flow,
            new.name.as_deref().filter(|name| !name.trim().is_empty()),
            new.parameters,
            new.environment,
            true,
            by,
            self.now(),
        )?;
        let row = self
            .store()
            .write(move |connection| {
                async move { Ok::<FlowRow, WorkError>(flows::keep(connection, &version).await?) }.boxed()
            })
            .await?;
        row.to_version(true).map_err(store)
    }

    async fn flows(&self, caller: &Caller, page: PageQuery) -> Answer<Page<FlowVersion>> {
        allow(caller, Role::Viewer)?;
        if page.after.as_ref().is_some_and(|after| after.split_once('.').is_none()) {
            return Err(AppError::bad_input("after", "is no cursor of this list: take the `next` of a page"));
        }
        let rows = flows::list(self.store().read(), &page).await.map_err(store)?;
        let items =
            rows.items.iter().map(|row| row.to_version(false)).collect::<Result<_, _>>().map_err(store)?;
        Ok(Page { items, next: rows.next })
    }

    async fn flow(&self, caller: &Caller, name: &str) -> Answer<FlowVersion> {
        allow(caller, Role::Viewer)?;
        let read = self.store().read();
        let row = match named(read, name).await? {
            Some(row) => Some(row),
            None => match flows::newest(read, name).await.map_err(store)? {
                Some((_, newest)) => flows::version_of(read, name, newest).await.map_err(store)?,
                None => None,
            },
        };
        row.ok_or_else(|| AppError::not_found(format!("flow {name}")))?.to_version(true).map_err(store)
    }

    async fn flow_versions(&self, caller: &Caller, name: &str) -> Answer<Vec<FlowVersion>> {
        allow(caller, Role::Viewer)?;
        let rows = flows::versions(self.store().read(), name).await.map_err(store)?;
        if rows.is_empty() {
            return Err(AppError::not_found(format!("flow {name}")));
        }
        rows.iter().map(|row| row.to_version(false)).collect::<Result<_, _>>().map_err(store)
    }
}

/// The faults of what is said of a flow's parameters and surroundings.
fn specs(new: &NewFlow) -> Vec<FieldError> {
    let mut faults = Vec::new();
    let names = params::names(&new.flow);
    for (name, spec) in &new.parameters {
        let place = format!("/parameters/{name}");
        if !names.contains(name) {
            faults.push(FieldError::new(&place, format!("the flow has no parameter {name}")));
        }
        let Some(pattern) = &spec.pattern else { continue };
        match regex::Regex::new(&format!("^(?:{pattern})$")) {
            Err(why) => {
                faults.push(FieldError::new(
                    format!("{place}/pattern"),
                    format!("is no regular expression: {why}"),
                ));
            }
            Ok(whole) => {
                if spec.default.as_ref().is_some_and(|default| !whole.is_match(default)) {
                    faults.push(FieldError::new(format!("{place}/default"), format!("must match {pattern}")));
                }
            }
        }
    }
    if let Some(size) = new.environment.viewport
        && (!(1..=10_000).contains(&size.width) || !(1..=10_000).contains(&size.height))
    {
        faults.push(FieldError::new("/environment/viewport", "must be from 1 to 10000 pixels each way"));
    }
    faults
}

impl Engine {
    /// The names of a task's parameters whose values nobody is shown.
    pub(super) async fn private_parameters(&self, row: &TaskRow) -> Answer<std::sync::Arc<[String]>> {
        let key = (row.flow_name.clone(), row.flow_version);
        if let Some(names) = self.private_names().lock().get(&key) {
            return Ok(names.clone());
        }
        let flow =
            flows::version_of(self.store().read(), &row.flow_name, row.flow_version).await.map_err(store)?;
        let specs = match &flow {
            Some(flow) => flow.parameters().map_err(store)?,
            None => Default::default(),
        };
        let mask = &self.settings().evidence.mask;
        let names = row.values().map_err(store)?.into_keys().filter(|name| is_private(name, &specs, mask));
        let names: std::sync::Arc<[String]> = names.collect();
        self.private_names().lock().put(key, names.clone());
        Ok(names)
    }
}
