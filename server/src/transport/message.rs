//! A frame's body as a JSON-RPC message, or the error answer that it deserves.

use serde_json::{Map, Value};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

use super::surrogates::replace_lone_surrogates;

/// A well-formed message from the client.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    /// Expects exactly one answer.
    Request {
        /// The id that the answer must carry.
        id: Id,
        /// The method's name.
        method: String,
        /// An object or an array.
        params: Option<Value>,
    },
    /// Expects no answer.
    Notification {
        /// The method's name.
        method: String,
        /// An object or an array.
        params: Option<Value>,
    },
    /// The client's answer to a request of ours.
    Reply {
        /// Of our request.
        id: Id,
        /// Its answer.
        result: Result<Value, Error>,
    },
}

/// Why a body is not a message.
#[derive(Debug, PartialEq)]
pub enum Rejection {
    /// Not JSON, or not text: answered with -32700.
    NotJson(String),
    /// JSON, but not a message: answered with -32600, with the request's id where it has one.
    NotMessage(Id, String),
}

impl Rejection {
    /// The answer that reports it.
    pub fn into_response(self) -> Response {
        let (id, code, reason) = match self {
            Self::NotJson(reason) => (Id::Null, ErrorCode::ParseError, reason),
            Self::NotMessage(id, reason) => (id, ErrorCode::InvalidRequest, reason),
        };
        Response::from_error(id, error(code, reason))
    }
}

/// An error with its own message.
pub fn error(code: ErrorCode, message: impl Into<String>) -> Error {
    Error {
        code,
        message: message.into().into(),
        data: None,
    }
}

/// Reads a body. `params: null` counts as absent, as some clients send it where none are due.
///
/// # Example
/// ```
/// use cute_analyzer::transport::message::{Incoming, parse};
///
/// let body = br#"{"jsonrpc":"2.0","method":"exit","params":null}"#;
/// let exit = Incoming::Notification { method: "exit".into(), params: None };
/// assert_eq!(parse(body), Ok(exit));
/// ```
pub fn parse(body: &[u8]) -> Result<Incoming, Rejection> {
    let text = std::str::from_utf8(body).map_err(|error| Rejection::NotJson(format!("{error}")))?;
    let value = serde_json::from_str(text)
        .or_else(|error| {
            let repaired = replace_lone_surrogates(text);
            serde_json::from_str(&repaired).map_err(|_| error)
        })
        .map_err(|error| Rejection::NotJson(format!("{error}")))?;
    match value {
        Value::Object(members) => classify(members),
        Value::Array(_) => Err(not_message(
            Id::Null,
            "batches are not part of the protocol",
        )),
        _ => Err(not_message(Id::Null, "a message is an object")),
    }
}

fn classify(mut members: Map<String, Value>) -> Result<Incoming, Rejection> {
    let id = members.remove("id");
    let method = members.remove("method");
    // Only where a method is is the id certainly one that the client waits for.
    let blamed = match (&method, &id) {
        (Some(_), Some(id)) => request_id(id).unwrap_or(Id::Null),
        _ => Id::Null,
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(not_message(blamed, "`jsonrpc` must be \"2.0\""));
    }
    match method {
        Some(Value::String(method)) => {
            let params = match members.remove("params") {
                None | Some(Value::Null) => None,
                Some(params @ (Value::Object(_) | Value::Array(_))) => Some(params),
                Some(_) => {
                    return Err(not_message(
                        blamed,
                        "`params` must be an object or an array",
                    ));
                }
            };
            match id {
                None => Ok(Incoming::Notification { method, params }),
                Some(id) => match request_id(&id) {
                    Some(id) => Ok(Incoming::Request { id, method, params }),
                    None => Err(not_message(Id::Null, "`id` must be an integer or a string")),
                },
            }
        }
        Some(_) => Err(not_message(blamed, "`method` must be a string")),
        None => reply(id.as_ref(), members),
    }
}

fn reply(id: Option<&Value>, mut members: Map<String, Value>) -> Result<Incoming, Rejection> {
    let id = match id {
        Some(Value::Null) => Id::Null,
        Some(id) => request_id(id)
            .ok_or_else(|| not_message(Id::Null, "`id` must be an integer or a string"))?,
        None => return Err(not_message(Id::Null, "a message has a `method` or an `id`")),
    };
    let result = match (members.remove("result"), members.remove("error")) {
        (Some(result), None) => Ok(result),
        (None, Some(failure)) => Err(client_error(&failure)),
        _ => {
            return Err(not_message(
                Id::Null,
                "an answer has either a `result` or an `error`",
            ));
        }
    };
    Ok(Incoming::Reply { id, result })
}

fn client_error(failure: &Value) -> Error {
    let code = failure.get("code").and_then(Value::as_i64).unwrap_or(0);
    let message = failure
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or_default();
    error(ErrorCode::from(code), message)
}

fn request_id(id: &Value) -> Option<Id> {
    match id {
        Value::Number(number) => number.as_i64().map(Id::Number),
        Value::String(text) => Some(Id::String(text.clone())),
        _ => None,
    }
}

fn not_message(id: Id, reason: &str) -> Rejection {
    Rejection::NotMessage(id, reason.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_notifications_and_replies_are_told_apart() {
        assert_eq!(
            parse(br#"{"jsonrpc":"2.0","id":4294967296,"method":"m","params":[1]}"#),
            Ok(Incoming::Request {
                id: Id::Number(1 << 32),
                method: "m".into(),
                params: Some(json!([1]))
            })
        );
        assert_eq!(
            parse(br#"{"jsonrpc":"2.0","id":"a","result":null}"#),
            Ok(Incoming::Reply {
                id: Id::String("a".into()),
                result: Ok(Value::Null)
            })
        );
        assert_eq!(
            parse(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#),
            Ok(Incoming::Reply {
                id: Id::Number(1),
                result: Err(error(ErrorCode::ServerError(-1), "no"))
            })
        );
    }

    #[test]
    fn a_lone_surrogate_does_not_lose_the_message() {
        assert_eq!(
            parse(br#"{"jsonrpc":"2.0","method":"m","params":["\ud83d"]}"#),
            Ok(Incoming::Notification {
                method: "m".into(),
                params: Some(json!(["\u{fffd}"]))
            })
        );
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_id_where_it_is_known() {
        let code = |body: &[u8]| {
            let response = parse(body).expect_err("must be refused").into_response();
            (
                response.id().clone(),
                response.error().expect("an error").code.code(),
            )
        };
        for body in [&b""[..], b"{", b"\xff", b"nul", b"{\"a\":\"\\ud8\"}"] {
            assert_eq!(code(body), (Id::Null, -32700), "{body:?}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(code(deep.as_bytes()), (Id::Null, -32700));
        for body in [
            &b"[]"[..],
            b"1",
            b"null",
            b"{}",
            br#"{"jsonrpc":"2.0"}"#,
            br#"{"jsonrpc":"2.0","id":1}"#,
            br#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
            br#"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
            br#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
            br#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
            br#"{"jsonrpc":"2.0","method":"m","params":1}"#,
        ] {
            assert_eq!(
                code(body),
                (Id::Null, -32600),
                "{}",
                String::from_utf8_lossy(body)
            );
        }
        for body in [
            &br#"{"jsonrpc":"1.0","id":7,"method":"m"}"#[..],
            br#"{"id":7,"method":"m"}"#,
            br#"{"jsonrpc":"2.0","id":7,"method":3}"#,
            br#"{"jsonrpc":"2.0","id":7,"method":"m","params":"x"}"#,
        ] {
            assert_eq!(
                code(body),
                (Id::Number(7), -32600),
                "{}",
                String::from_utf8_lossy(body)
            );
        }
    }
}
