//! Decides which network addresses are public, so that an address chosen by someone else (of a webhook, a feed, a
//! redirect) cannot reach internal hosts: the machine itself, its neighbours, a cloud's metadata service.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Networks that are not public (RFC 6890 and its registry): first address and prefix length.
const INNER_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// The same for IPv6 within 2000::/3. Everything outside is refused, except addresses that represent an IPv4 address.
const INNER_V6: [([u16; 3], u32); 4] =
    [([0x2001, 0, 0], 23), ([0x2001, 0xdb8, 0], 32), ([0x2002, 0, 0], 16), ([0x3fff, 0, 0], 20)];

/// Resolves names and returns only public addresses.
#[derive(Debug, Clone, Copy)]
pub struct PublicOnly;

impl reqwest::dns::Resolve for PublicOnly {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if allowed.is_empty() {
                return Err(format!("{} points into a private network", name.as_str()).into());
            }
            Ok(Box::new(allowed.into_iter()) as Box<dyn Iterator<Item = SocketAddr> + Send>)
        })
    }
}

/// Whether an address belongs to the public internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let within = |(net, length): ([u8; 4], u32)| {
        let mask = u32::MAX << (32 - length);
        u32::from(address) & mask == u32::from_be_bytes(net) & mask
    };
    !INNER_V4.into_iter().any(within)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    let [a, b, c, d, e, f, g, h] = address.segments();
    if (a, b, c, d, e, f) == (0x64, 0xff9b, 0, 0, 0, 0) {
        // NAT64: the last part is the IPv4 address that answers.
        let ([g0, g1], [h0, h1]) = (g.to_be_bytes(), h.to_be_bytes());
        return is_public_v4(Ipv4Addr::new(g0, g1, h0, h1));
    }
    let within = |(net, length): ([u16; 3], u32)| {
        let wide = |[a, b, c]: [u16; 3]| (u64::from(a) << 32) | (u64::from(b) << 16) | u64::from(c);
        let mask = u64::MAX << (48 - length);
        wide([a, b, c]) & mask == wide(net) & mask
    };
    (0x2000..=0x3fff).contains(&a) && !INNER_V6.into_iter().any(within)
}
