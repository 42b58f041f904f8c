//! Who is on the server's own machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use super::engine::InFile;
use super::running::Running;

/// The address by which others would reach this machine, if they can.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent.
    socket.connect("198.51.100.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_loopback() && !address.is_unspecified())
}

#[test]
fn counters_are_shown_on_the_servers_own_machine_however_it_listens() {
    let loopback = IpAddr::from(Ipv4Addr::LOCALHOST);
    let cases =
        [("[::]:0".parse().ok(), Some(loopback)), (own_address().map(|own| (own, 0).into()), own_address())];
    for (listen, asked) in cases {
        let (Some(listen), Some(asked)): (Option<SocketAddr>, _) = (listen, asked) else { continue };
        if std::net::TcpListener::bind(listen).is_err() {
            // There is no such network here.
            continue;
        }
        let engine = InFile::new();
        let mut server = Running::at(&engine, listen);
        server.address.set_ip(asked);
        let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
        let answer = server.raw(format!("{request}\r\n").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 200"), "{listen} {asked}: {answer}");
        let forwarded = server.raw(format!("{request}x-forwarded-for: 127.0.0.1\r\n\r\n").as_bytes());
        assert!(forwarded.starts_with("HTTP/1.1 403"), "{listen} {asked}: {forwarded}");
    }
}
