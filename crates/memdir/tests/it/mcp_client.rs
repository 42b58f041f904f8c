//! A client of `memdir mcp` that a test can hold in its hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use camino::Utf8PathBuf;
use memdir_testkit::TestHome;
use serde_json::{Value, json};

/// A running server with its home.
pub(crate) struct McpClient {
    pub(crate) home: Rc<TestHome>,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// What came that was no answer.
    pub(crate) news: Vec<Value>,
}

impl McpClient {
    /// A server in the project folder of a fresh home; nothing has been said.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_in(Rc::new(TestHome::new()), arguments)
    }

    /// One more server in the same home, greeted in the usual way.
    pub(crate) fn beside(&self, arguments: &[&str]) -> Self {
        let mut client = Self::start_in(Rc::clone(&self.home), arguments);
        client.greet("2025-06-18", json!({}));
        client
    }

    fn start_in(home: Rc<TestHome>, arguments: &[&str]) -> Self {
        let arguments: Vec<&str> = ["mcp"].into_iter().chain(arguments.iter().copied()).collect();
        Self::start_as(home, env!("CARGO_BIN_EXE_memdir"), &arguments)
    }

    /// A server that is started by this command, as an agent's settings have it.
    pub(crate) fn start_as(home: Rc<TestHome>, program: &str, arguments: &[&str]) -> Self {
        let mut child = with_home(&home, program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { home, child, input, output, next_id: 0, news: Vec::new() }
    }

    /// A server that has been greeted in the usual way.
    pub(crate) fn greeted(arguments: &[&str]) -> Self {
        let mut client = Self::start(arguments);
        client.greet("2025-06-18", json!({}));
        client
    }

    pub(crate) fn greet(&mut self, version: &str, capabilities: Value) -> Value {
        self.greet_as("test-client", version, capabilities)
    }

    pub(crate) fn greet_as(&mut self, name: &str, version: &str, capabilities: Value) -> Value {
        let client = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
        let answer = self.ask("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(message.to_string().as_bytes());
    }

    pub(crate) fn send_raw(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next message, whatever it is.
    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
        serde_json::from_str(&line).unwrap()
    }

    /// The whole answer to a request. What else comes meanwhile is news.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer_to(id)
    }

    /// The answer to a request that was sent. What else comes meanwhile is news.
    pub(crate) fn answer_to(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.news.push(message);
        }
    }

    /// The result of a request that must succeed.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// What a tool says, and whether it failed.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let result = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"] == true)
    }

    /// What a tool says that must succeed.
    pub(crate) fn said(&mut self, tool: &str, arguments: Value) -> String {
        let (text, failed) = self.call(tool, arguments);
        assert!(!failed, "{text}");
        text
    }

    /// Runs a command of memdir beside the server.
    pub(crate) fn memdir(&self, arguments: &[&str]) -> (i32, String) {
        let output = command(&self.home).args(arguments).output().unwrap();
        let text =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap(), text)
    }

    /// The memory directory of the project.
    pub(crate) fn memory_dir(&self) -> Utf8PathBuf {
        let output = command(&self.home).arg("path").output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim_end().into()
    }

    /// Ends the input, and gives back what the server still said and how it ended.
    pub(crate) fn end(mut self) -> (String, i32) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap().code().unwrap())
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program in a home of its own.
pub(crate) fn command(home: &TestHome) -> Command {
    with_home(home, env!("CARGO_BIN_EXE_memdir"))
}

fn with_home(home: &TestHome, program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home.home()).env("TZ", "UTC").current_dir(home.project());
    command
}
