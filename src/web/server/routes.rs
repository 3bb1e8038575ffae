//! Routes, and the access that each requires. The router is built only here, so that no route can be added without an
//! access rule.

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{delete, get, post};

use super::app::App;
use crate::web::access::access_rule::{AccessRule, RouteNeed};

/// The routes so far.
#[derive(Default)]
pub(in crate::web) struct Routes {
    router: Router<App>,
    declared: Vec<RouteNeed>,
}

impl Routes {
    pub(in crate::web) fn get<H, T>(mut self, path: &'static str, need: AccessRule, handler: H) -> Self
    where
        H: Handler<T, App>,
        T: 'static,
    {
        self.declared.push(RouteNeed { method: Method::GET, path, need });
        Self { router: self.router.route(path, get(handler)), ..self }
    }

    pub(in crate::web) fn post<H, T>(mut self, path: &'static str, need: AccessRule, handler: H) -> Self
    where
        H: Handler<T, App>,
        T: 'static,
    {
        self.declared.push(RouteNeed { method: Method::POST, path, need });
        Self { router: self.router.route(path, post(handler)), ..self }
    }

    pub(in crate::web) fn delete<H, T>(mut self, path: &'static str, need: AccessRule, handler: H) -> Self
    where
        H: Handler<T, App>,
        T: 'static,
    {
        self.declared.push(RouteNeed { method: Method::DELETE, path, need });
        Self { router: self.router.route(path, delete(handler)), ..self }
    }

    /// Returns the router, and the access that its routes require.
    pub(in crate::web) fn done(self) -> (Router<App>, Vec<RouteNeed>) {
        (self.router, self.declared)
    }
}
