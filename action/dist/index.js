#!/usr/bin/env node
import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 461:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  TJ: () => (/* binding */ families),
  GN: () => (/* binding */ parseCidr),
  QP: () => (/* binding */ typeOf)
});

// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __nccwpck_require__(30);
// EXTERNAL MODULE: ./action/address/range.ts
var range = __nccwpck_require__(723);
;// CONCATENATED MODULE: ./action/address/ipv4.ts


function parseIpv4(text) {
    const trimmed = text.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
    return (0,external_node_net_.isIPv4)(trimmed) ? trimmed : null;
}
function parseIpv4Cidr(text) {
    return (0,range/* parseCidrOf */.T)({ family: 4, parse: parseIpv4, networkOf: networkAddress, example: '203.0.113.0/24' }, text);
}
function networkAddress(address, prefix) {
    return address
        .split('.')
        .map((octet, index) => {
        const bits = Math.min(Math.max(prefix - index * 8, 0), 8);
        return Number(octet) & (0xff << (8 - bits)) & 0xff;
    })
        .join('.');
}
const specialPurpose = [
    ['0.0.0.0', 8, '"this network" (RFC 791)'],
    ['10.0.0.0', 8, 'private (RFC 1918)'],
    ['100.64.0.0', 10, 'carrier-grade NAT, shared by customers of a provider (RFC 6598)'],
    ['127.0.0.0', 8, 'loopback (RFC 1122)'],
    ['169.254.0.0', 16, 'link-local (RFC 3927)'],
    ['172.16.0.0', 12, 'private (RFC 1918)'],
    ['192.0.0.0', 24, 'protocol assignments (RFC 6890)'],
    ['192.0.2.0', 24, 'documentation (RFC 5737)'],
    ['192.31.196.0', 24, 'AS112 anycast (RFC 7535)'],
    ['192.52.193.0', 24, 'AMT anycast (RFC 7450)'],
    ['192.88.99.0', 24, 'deprecated 6to4 relay anycast (RFC 7526)'],
    ['192.168.0.0', 16, 'private (RFC 1918)'],
    ['192.175.48.0', 24, 'AS112 anycast (RFC 7534)'],
    ['198.18.0.0', 15, 'benchmarking (RFC 2544)'],
    ['198.51.100.0', 24, 'documentation (RFC 5737)'],
    ['203.0.113.0', 24, 'documentation (RFC 5737)'],
    ['224.0.0.0', 4, 'multicast (RFC 5771)'],
    ['240.0.0.0', 4, 'reserved or broadcast (RFC 1112, RFC 919)'],
];
const specialPurposeRanges = specialPurpose.map(([network, prefix, what]) => ({
    range: (0,range/* rangeOf */.b)(network, prefix, 4),
    what,
}));
function specialPurposeOf(address) {
    const found = specialPurposeRanges.find(({ range }) => range.contains(address));
    return found ? `${found.what}, in ${found.range.text}` : null;
}
const cloudflareRanges = [
    ['103.21.244.0', 22],
    ['103.22.200.0', 22],
    ['103.31.4.0', 22],
    ['104.16.0.0', 13],
    ['104.24.0.0', 14],
    ['108.162.192.0', 18],
    ['131.0.72.0', 22],
    ['141.101.64.0', 18],
    ['162.158.0.0', 15],
    ['172.64.0.0', 13],
    ['173.245.48.0', 20],
    ['188.114.96.0', 20],
    ['190.93.240.0', 20],
    ['197.234.240.0', 22],
    ['198.41.128.0', 17],
];
const cloudflareCidrs = cloudflareRanges.map(([network, prefix]) => (0,range/* rangeOf */.b)(network, prefix, 4));
function cloudflareRangeOf(address) {
    return cloudflareCidrs.find(range => range.contains(address))?.text ?? null;
}

// EXTERNAL MODULE: ./action/address/ipv6.ts
var ipv6 = __nccwpck_require__(945);
;// CONCATENATED MODULE: ./action/address/family.ts


const families = {
    A: { version: 4, example: '198.51.100.7', parse: parseIpv4, specialPurposeOf: specialPurposeOf, cloudflareRangeOf: cloudflareRangeOf },
    AAAA: {
        version: 6,
        example: '2001:db8::7',
        parse: ipv6/* parseIpv6 */.BE,
        specialPurposeOf: ipv6/* ipv6SpecialPurposeOf */.Wn,
        cloudflareRangeOf: ipv6/* ipv6CloudflareRangeOf */.JG,
    },
};
function typeOf(address) {
    return address.includes(':') ? 'AAAA' : 'A';
}
function parseCidr(text) {
    return text.includes(':') ? (0,ipv6/* parseIpv6Cidr */.jA)(text) : parseIpv4Cidr(text);
}


/***/ }),

/***/ 945:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Ai: () => (/* binding */ ipv6Network),
/* harmony export */   BE: () => (/* binding */ parseIpv6),
/* harmony export */   JG: () => (/* binding */ ipv6CloudflareRangeOf),
/* harmony export */   L0: () => (/* binding */ ipv6Text),
/* harmony export */   Wn: () => (/* binding */ ipv6SpecialPurposeOf),
/* harmony export */   jA: () => (/* binding */ parseIpv6Cidr),
/* harmony export */   mE: () => (/* binding */ ipv6Bits)
/* harmony export */ });
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(30);
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__nccwpck_require__.n(node_net__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var _range_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(723);


const groups = 8;
const bitsInGroup = 16;
const bitsInAddress = 128;
const maxCharacters = 45;
function parseIpv6(text) {
    const trimmed = text.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
    if (trimmed.length > maxCharacters || trimmed.includes('%') || !(0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIPv6)(trimmed))
        return null;
    return ipv6Text(ipv6Bits(trimmed));
}
function parseIpv6Cidr(text) {
    return (0,_range_js__WEBPACK_IMPORTED_MODULE_1__/* .parseCidrOf */ .T)({ family: 6, parse: parseIpv6, networkOf: ipv6Network, example: '2001:db8:1234::/48' }, text);
}
function ipv6Network(address, prefix) {
    const hostBits = BigInt(bitsInAddress - prefix);
    return ipv6Text((ipv6Bits(address) >> hostBits) << hostBits);
}
function ipv6Bits(address) {
    const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...octets) => {
        const [a, b, c, d] = octets.map(Number);
        return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    });
    const [head = '', tail = ''] = hex.split('::');
    const left = head === '' ? [] : head.split(':');
    const right = tail === '' ? [] : tail.split(':');
    const zeros = Array(groups - left.length - right.length).fill('0');
    return BigInt(`0x${[...left, ...zeros, ...right].map(group => group.padStart(4, '0')).join('')}`);
}
function ipv6Text(bits) {
    const values = Array.from({ length: groups }, (_, index) => Number((bits >> BigInt((groups - 1 - index) * bitsInGroup)) & 0xffffn));
    if (bits >> 32n === 0xffffn) {
        const octets = values.slice(-2).flatMap(value => [value >> 8, value & 0xff]);
        return `::ffff:${octets.join('.')}`;
    }
    const texts = values.map(value => value.toString(16));
    const { start, length } = longestZeroRun(values);
    if (length < 2)
        return texts.join(':');
    return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`;
}
function longestZeroRun(values) {
    let best = { start: 0, length: 0 };
    let start = 0;
    for (const [index, value] of values.entries()) {
        if (value !== 0)
            start = index + 1;
        else if (index + 1 - start > best.length)
            best = { start, length: index + 1 - start };
    }
    return best;
}
const specialPurpose = [
    ['::', 128, 'unspecified (RFC 4291)'],
    ['::1', 128, 'loopback (RFC 4291)'],
    ['::ffff:0.0.0.0', 96, 'a mapped IPv4 address (RFC 4291)'],
    ['64:ff9b::', 96, 'IPv4 translation (RFC 6052)'],
    ['64:ff9b:1::', 48, 'local-use IPv4 translation (RFC 8215)'],
    ['100::', 64, 'discard-only (RFC 6666)'],
    ['100:0:0:1::', 64, 'the dummy prefix (RFC 9780)'],
    ['2001::', 32, 'Teredo tunnelling (RFC 4380)'],
    ['2001:2::', 48, 'benchmarking (RFC 5180)'],
    ['2001:3::', 32, 'AMT anycast (RFC 7450)'],
    ['2001:4:112::', 48, 'AS112 anycast (RFC 7535)'],
    ['2001:10::', 28, 'former ORCHID identifiers (RFC 4843)'],
    ['2001:20::', 28, 'ORCHIDv2 identifiers (RFC 7343)'],
    ['2001:30::', 28, 'drone identifiers (RFC 9374)'],
    ['2001::', 23, 'protocol assignments (RFC 2928)'],
    ['2001:db8::', 32, 'documentation (RFC 3849)'],
    ['2002::', 16, '6to4 tunnelling (RFC 3056)'],
    ['2620:4f:8000::', 48, 'AS112 anycast (RFC 7534)'],
    ['3fff::', 20, 'documentation (RFC 9637)'],
    ['5f00::', 16, 'segment routing (RFC 9602)'],
    ['fc00::', 7, 'unique local, private (RFC 4193)'],
    ['fe80::', 10, 'link-local (RFC 4291)'],
    ['fec0::', 10, 'former site-local (RFC 3879)'],
    ['ff00::', 8, 'multicast (RFC 4291)'],
];
const specialPurposeRanges = specialPurpose.map(([network, prefix, what]) => ({
    range: (0,_range_js__WEBPACK_IMPORTED_MODULE_1__/* .rangeOf */ .b)(network, prefix, 6),
    what,
}));
const globalUnicast = (0,_range_js__WEBPACK_IMPORTED_MODULE_1__/* .rangeOf */ .b)('2000::', 3, 6);
function ipv6SpecialPurposeOf(address) {
    const found = specialPurposeRanges.find(({ range }) => range.contains(address));
    if (found)
        return `${found.what}, in ${found.range.text}`;
    return globalUnicast.contains(address)
        ? null
        : `outside of ${globalUnicast.text}, global unicast (RFC 4291)`;
}
const cloudflareRanges = [
    ['2400:cb00::', 32],
    ['2405:8100::', 32],
    ['2405:b500::', 32],
    ['2606:4700::', 32],
    ['2803:f800::', 32],
    ['2a06:98c0::', 29],
    ['2c0f:f248::', 32],
];
const cloudflareCidrs = cloudflareRanges.map(([network, prefix]) => (0,_range_js__WEBPACK_IMPORTED_MODULE_1__/* .rangeOf */ .b)(network, prefix, 6));
function ipv6CloudflareRangeOf(address) {
    return cloudflareCidrs.find(range => range.contains(address))?.text ?? null;
}


/***/ }),

/***/ 545:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   B0: () => (/* binding */ countVotes),
/* harmony export */   I7: () => (/* binding */ describeVote),
/* harmony export */   LA: () => (/* binding */ nameVotes),
/* harmony export */   bX: () => (/* binding */ explainVerdict),
/* harmony export */   d$: () => (/* binding */ isDecided),
/* harmony export */   yf: () => (/* binding */ majority)
/* harmony export */ });
function majority(sources) {
    return Math.floor(sources / 2) + 1;
}
function countVotes(votes, quorum) {
    const tally = tallyOf(votes);
    const addresses = [...tally.keys()];
    const winners = addresses.filter(address => (tally.get(address) ?? 0) >= quorum);
    const [winner] = winners;
    if (winner !== undefined && winners.length === 1) {
        return { kind: 'agreed', address: winner, dissent: addresses.filter(address => address !== winner) };
    }
    const candidates = votes.flatMap(vote => ('problem' in vote ? (vote.candidates ?? []) : []));
    if (addresses.length > 1 || candidates.length > 1)
        return { kind: 'disagreement' };
    return { kind: 'too-few', valid: votes.filter(vote => 'address' in vote).length };
}
function tallyOf(votes) {
    const tally = new Map();
    for (const vote of votes) {
        if ('address' in vote)
            tally.set(vote.address, (tally.get(vote.address) ?? 0) + 1);
    }
    return tally;
}
function isDecided(votes, missing, quorum) {
    const [first = 0, second = 0] = [...tallyOf(votes).values()].sort((a, b) => b - a);
    const agreed = first >= quorum && second + missing < quorum;
    const impossible = first + missing < quorum || second >= quorum;
    return agreed || impossible;
}
function explainVerdict(verdict, votes, quorum) {
    if (verdict.kind === 'disagreement') {
        return {
            reason: 'address-disagreement',
            message: `The address sources disagree (${nameVotes(votes)}). The quorum is ${quorum}. No record was changed. If this ` +
                'persists, look for a VPN, a second uplink or a faulty source.',
        };
    }
    return {
        reason: 'address-unavailable',
        message: `Only ${verdict.valid} of ${votes.length} address sources returned an address, but the quorum is ${quorum} ` +
            `(${nameVotes(votes)}). No record was changed. Check the connection of the host, or set other address-sources.`,
    };
}
function nameVotes(votes) {
    return votes.map(vote => `${vote.source}: ${describeVote(vote)}`).join('; ');
}
function describeVote(vote) {
    if ('problem' in vote)
        return `no vote: ${vote.problem}`;
    return vote.note === undefined ? vote.address : `${vote.address} (${vote.note})`;
}


/***/ }),

/***/ 723:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   T: () => (/* binding */ parseCidrOf),
/* harmony export */   b: () => (/* binding */ rangeOf)
/* harmony export */ });
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(30);
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__nccwpck_require__.n(node_net__WEBPACK_IMPORTED_MODULE_0__);

function rangeOf(network, prefix, family) {
    const list = new node_net__WEBPACK_IMPORTED_MODULE_0__.BlockList();
    list.addSubnet(network, prefix, `ipv${family}`);
    return {
        text: `${network}/${prefix}`,
        family,
        contains: address => list.check(address, `ipv${family}`),
    };
}
function parseCidrOf(syntax, text) {
    const { family, parse, networkOf, example } = syntax;
    const maxPrefix = family === 4 ? 32 : 128;
    const [addressText = '', prefixText = '', ...rest] = text.split('/');
    const address = /\s/.test(text) ? null : parse(addressText);
    const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN;
    if (rest.length > 0 || address === null || !(prefix <= maxPrefix)) {
        const single = address !== null && !text.includes('/');
        const fix = single ? `For one address, write ${address}/${maxPrefix}` : `Write it like ${example}`;
        return { problem: `is not an IPv${family} range. ${fix}` };
    }
    const network = networkOf(address, prefix);
    if (network !== address) {
        return {
            problem: `has bits set beyond its prefix. Write ${network}/${prefix} or ${address}/${maxPrefix}`,
        };
    }
    return rangeOf(network, prefix, family);
}


/***/ }),

/***/ 602:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   $: () => (/* binding */ askDns),
/* harmony export */   z: () => (/* binding */ answersFor)
/* harmony export */ });
/* harmony import */ var _dns_message_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(492);
/* harmony import */ var _records_hostname_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(164);
/* harmony import */ var _report_quote_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(456);



const mediaType = 'application/dns-message';
const maxMessageBytes = 4096;
const maxAliases = 8;
const refusals = {
    SERVFAIL: 'could not resolve the name (SERVFAIL)',
    NXDOMAIN: 'knows no such name (NXDOMAIN)',
};
async function askDns(source, type, send, keyOf) {
    const findings = await Promise.all(source.resolvers.map(url => resolve(source, type, name => query(url, name, type, send), keyOf)));
    const said = findings
        .map((finding, index) => `${new URL(source.resolvers[index] ?? '').host}: ${describe(finding)}`)
        .join(', ');
    const addresses = new Map(findings.flatMap(found => ('address' in found ? [[keyOf(found.address), found.address]] : [])));
    const [address] = addresses.values();
    if (address !== undefined && addresses.size === 1 && findings.every(found => 'address' in found)) {
        return { source: source.name, address, note: said };
    }
    const candidates = findings.flatMap(found => 'address' in found ? found.address : (found.candidates ?? []));
    return {
        source: source.name,
        problem: addresses.size > 1 ? `the resolvers differ: ${said}` : said,
        ...(candidates.length > 1 ? { candidates } : {}),
    };
}
async function resolve({ hostname, managed }, type, ask, keyOf) {
    const aliases = [];
    let ttl = Number.POSITIVE_INFINITY;
    let answers = [];
    let asked = null;
    for (let name = hostname;;) {
        const own = answers.filter(answer => answer.name === name);
        ttl = Math.min(ttl, ...own.map(answer => answer.ttl));
        const found = own.filter(answer => answer.type === type);
        const addresses = [...new Map(found.map(({ data }) => [keyOf(data), data])).values()];
        const [address] = addresses;
        if (address !== undefined && addresses.length === 1)
            return { address, ttl, aliases };
        if (addresses.length > 1) {
            return {
                problem: `${addresses.length} addresses (${addresses.join(', ')})`,
                candidates: addresses,
            };
        }
        const alias = own.find(answer => answer.type === 'CNAME');
        if (alias) {
            name = alias.data;
            aliases.push(name);
            const confirming = managed.find(target => answersFor(target, name));
            if (confirming)
                return { problem: `leads to ${confirming}, which this run writes` };
            if (aliases.length > maxAliases)
                return { problem: `leads through more than ${maxAliases} aliases` };
            continue;
        }
        if (asked === name)
            return { problem: `no ${type} record of ${(0,_report_quote_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .h)(name)}` };
        const response = await ask(name);
        if ('problem' in response)
            return response;
        answers = response.answers;
        asked = name;
    }
}
function answersFor(managed, name) {
    return managed === name || (managed.startsWith('*.') && name.endsWith(managed.slice(1)));
}
async function query(url, name, type, send) {
    if ((0,_records_hostname_js__WEBPACK_IMPORTED_MODULE_1__/* .canonicalHostname */ .G)(name) !== name)
        return { problem: `leads to ${(0,_report_quote_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .h)(name)}, which is no hostname` };
    const question = { id: 0, name, type, recursionDesired: true };
    const answer = await send({
        method: 'POST',
        url,
        headers: { Accept: mediaType, 'Content-Type': mediaType },
        body: Buffer.from((0,_dns_message_js__WEBPACK_IMPORTED_MODULE_0__/* .encodeQuery */ .X)(question)).toString('latin1'),
        encoding: 'latin1',
        maxBytes: maxMessageBytes,
    });
    if (answer.kind === 'failure')
        return { problem: answer.detail };
    if (answer.status !== 200)
        return { problem: `answered ${answer.status} instead of 200` };
    if (answer.contentType !== mediaType)
        return { problem: `answered with something else than ${mediaType}` };
    const response = (0,_dns_message_js__WEBPACK_IMPORTED_MODULE_0__/* .decodeResponse */ .o)(Buffer.from(answer.body, 'latin1'), question);
    if (!response || response.truncated)
        return { problem: 'answered with a malformed DNS message' };
    const { rcode } = response;
    return rcode === 'NOERROR' ? response : { problem: refusals[rcode] ?? `answered with ${rcode}` };
}
function describe(finding) {
    if ('problem' in finding)
        return finding.problem;
    const { address, ttl, aliases } = finding;
    const way = aliases.length === 0 ? '' : ` by way of ${aliases.map(_report_quote_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .h).join(', ')}`;
    return `${address}${way}, cached for up to ${ttl} s`;
}


/***/ }),

/***/ 205:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   n: () => (/* binding */ parseSuffix),
/* harmony export */   o: () => (/* binding */ withSuffix)
/* harmony export */ });
/* harmony import */ var _ipv6_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(945);

function parseSuffix(text) {
    const [hostText = '', lengthText = '', ...rest] = text.split('/');
    const host = /\s/.test(text) ? null : (0,_ipv6_js__WEBPACK_IMPORTED_MODULE_0__/* .parseIpv6 */ .BE)(hostText);
    const prefixLength = /^\d{1,3}$/.test(lengthText) ? Number(lengthText) : 0;
    if (rest.length > 0 || host === null || prefixLength < 1 || prefixLength > 127) {
        return {
            problem: 'is not the host part of an IPv6 address; write it with its prefix length, such as ::1:2:3:4/64',
        };
    }
    if ((0,_ipv6_js__WEBPACK_IMPORTED_MODULE_0__/* .ipv6Bits */ .mE)(host) === 0n)
        return { problem: 'names no host behind the prefix' };
    if ((0,_ipv6_js__WEBPACK_IMPORTED_MODULE_0__/* .ipv6Network */ .Ai)(host, prefixLength) !== '::') {
        return {
            problem: `has bits inside its prefix of ${prefixLength} bits, which comes from the address sources; leave them zero`,
        };
    }
    return { host, prefixLength };
}
function withSuffix(address, { host, prefixLength }) {
    return (0,_ipv6_js__WEBPACK_IMPORTED_MODULE_0__/* .ipv6Text */ .L0)((0,_ipv6_js__WEBPACK_IMPORTED_MODULE_0__/* .ipv6Bits */ .mE)((0,_ipv6_js__WEBPACK_IMPORTED_MODULE_0__/* .ipv6Network */ .Ai)(address, prefixLength)) | (0,_ipv6_js__WEBPACK_IMPORTED_MODULE_0__/* .ipv6Bits */ .mE)(host));
}


/***/ }),

/***/ 493:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  t: () => (/* binding */ dnsClient)
});

;// CONCATENATED MODULE: external "node:dgram"
const external_node_dgram_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dgram");
;// CONCATENATED MODULE: external "node:dns/promises"
const promises_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns/promises");
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __nccwpck_require__(30);
// EXTERNAL MODULE: ./action/dns-message.ts
var dns_message = __nccwpck_require__(492);
// EXTERNAL MODULE: ./action/report/quote.ts
var quote = __nccwpck_require__(456);
;// CONCATENATED MODULE: ./action/dns-client.ts





const resolverTimeoutMs = 2000;
const lengthPrefixBytes = 2;
const dnsClient = {
    async ask(server, question, timeoutMs) {
        const message = (0,dns_message/* encodeQuery */.X)(question);
        const overUdp = await askUdp(server, question, message, timeoutMs / 2);
        if (!('kind' in overUdp) && !overUdp.truncated)
            return overUdp;
        return askTcp(server, question, message, timeoutMs / 2);
    },
    async addressesOf(host) {
        if ((0,external_node_net_.isIP)(host))
            return [host];
        const resolver = systemResolver();
        const found = await Promise.all([resolved(resolver.resolve4(host)), resolved(resolver.resolve6(host))]);
        const addresses = found.flatMap(list => ('kind' in list ? [] : list));
        const failure = found.find(list => 'kind' in list);
        return addresses.length > 0 ? addresses : (failure ?? { kind: 'failure', detail: 'it has no address' });
    },
    nameServersOf: zone => resolved(systemResolver().resolveNs(zone)),
};
function systemResolver() {
    return new promises_namespaceObject.Resolver({ timeout: resolverTimeoutMs, tries: 2 });
}
async function resolved(resolving) {
    try {
        return await resolving;
    }
    catch (error) {
        const code = codeOf(error);
        return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : { kind: 'failure', detail: code };
    }
}
function askUdp({ address, port }, question, message, timeoutMs) {
    return new Promise(resolve => {
        const socket = (0,external_node_dgram_namespaceObject.createSocket)((0,external_node_net_.isIPv6)(address) ? 'udp6' : 'udp4');
        const settle = (outcome) => {
            clearTimeout(timer);
            socket.close();
            resolve(outcome);
        };
        const timer = setTimeout(() => settle(noResponse), timeoutMs);
        socket.once('error', error => settle({ kind: 'failure', detail: codeOf(error) }));
        socket.on('message', datagram => {
            const response = (0,dns_message/* decodeResponse */.o)(datagram, question);
            if (response)
                settle(response);
        });
        socket.connect(port, address, () => socket.send(message));
    });
}
function askTcp({ address, port }, question, message, timeoutMs) {
    return new Promise(resolve => {
        const socket = (0,external_node_net_.connect)(port, address);
        const settle = (outcome) => {
            clearTimeout(timer);
            socket.destroy();
            resolve(outcome);
        };
        const timer = setTimeout(() => settle(noResponse), timeoutMs);
        let received = Buffer.alloc(0);
        socket.on('error', error => settle({ kind: 'failure', detail: codeOf(error) }));
        socket.on('end', () => settle({ kind: 'failure', detail: 'the response was cut off' }));
        socket.on('data', chunk => {
            received = Buffer.concat([received, chunk]);
            const length = received.length < lengthPrefixBytes ? Number.NaN : received.readUInt16BE(0);
            if (!(received.length >= lengthPrefixBytes + length))
                return;
            const response = (0,dns_message/* decodeResponse */.o)(received.subarray(lengthPrefixBytes, lengthPrefixBytes + length), question);
            settle(response ?? { kind: 'failure', detail: 'the response is malformed' });
        });
        socket.write(Uint8Array.of(message.length >> 8, message.length & 0xff, ...message));
    });
}
const noResponse = { kind: 'failure', detail: 'no response' };
function codeOf(error) {
    const code = error.code;
    return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : (0,quote/* quote */.h)(String(error));
}


/***/ }),

/***/ 492:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   X: () => (/* binding */ encodeQuery),
/* harmony export */   o: () => (/* binding */ decodeResponse)
/* harmony export */ });
const typeNumbers = { A: 1, NS: 2, CNAME: 5, AAAA: 28 };
const headerBytes = 12;
const maxLabelBytes = 63;
const maxNameBytes = 254;
const internetClass = 1;
const flag = {
    response: 0x8000,
    opcode: 0x7800,
    authoritative: 0x0400,
    truncated: 0x0200,
    recursionDesired: 0x0100,
};
const rcodes = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
function encodeQuery({ id, name, type, recursionDesired }) {
    const labels = name.split('.').map(label => Buffer.from(label, 'latin1'));
    const nameBytes = labels.reduce((sum, label) => sum + 1 + label.length, 0);
    if (nameBytes > maxNameBytes || labels.some(({ length }) => length === 0 || length > maxLabelBytes)) {
        throw new RangeError('The name has no wire form.');
    }
    const header = [id, recursionDesired ? flag.recursionDesired : 0, 1, 0, 0, 0].flatMap(twoBytes);
    const wireName = [...labels.flatMap(label => [label.length, ...label]), 0];
    return Uint8Array.from([...header, ...wireName, ...twoBytes(typeNumbers[type]), ...twoBytes(internetClass)]);
}
function decodeResponse(message, query) {
    if (message.length < headerBytes)
        return null;
    const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
    const flags = view.getUint16(2);
    const [questions, answerCount] = [view.getUint16(4), view.getUint16(6)];
    if (view.getUint16(0) !== query.id || !(flags & flag.response) || flags & flag.opcode)
        return null;
    const rcode = rcodes[flags & 0xf] ?? `RCODE${flags & 0xf}`;
    const truncated = (flags & flag.truncated) !== 0;
    const authoritative = (flags & flag.authoritative) !== 0;
    if (questions > 1 || (questions === 0 && rcode === 'NOERROR'))
        return null;
    try {
        let at = headerBytes;
        if (questions === 1) {
            const asked = readName(view, at);
            const [type, dnsClass] = [view.getUint16(asked.end), view.getUint16(asked.end + 2)];
            const same = asked.name === query.name.toLowerCase() && type === typeNumbers[query.type];
            if (!same || dnsClass !== internetClass)
                return null;
            at = asked.end + 4;
        }
        const answers = [];
        for (let read = 0; read < answerCount; read++) {
            const { answer, end } = readAnswer(view, at);
            answers.push(answer);
            at = end;
        }
        return { authoritative, truncated, rcode, answers };
    }
    catch (error) {
        if (!(error instanceof RangeError))
            throw error;
        return truncated ? { authoritative, truncated, rcode, answers: [] } : null;
    }
}
function readAnswer(view, start) {
    const { name, end: at } = readName(view, start);
    const [typeNumber, dnsClass] = [view.getUint16(at), view.getUint16(at + 2)];
    const ttl = view.getUint32(at + 4);
    const dataStart = at + 10;
    const end = dataStart + view.getUint16(at + 8);
    if (end > view.byteLength)
        throw new RangeError('The data is cut short.');
    const known = Object.entries(typeNumbers).find(([, number]) => number === typeNumber)?.[0];
    const type = dnsClass === internetClass ? (known ?? null) : null;
    const data = type === null ? '' : readData(view, type, dataStart, end);
    return { answer: { name, type, ttl: ttl < 0x8000_0000 ? ttl : 0, data }, end };
}
function readData(view, type, start, end) {
    if (type === 'NS' || type === 'CNAME') {
        const name = readName(view, start);
        if (name.end !== end)
            throw new RangeError('The data is longer than the name in it.');
        return name.name;
    }
    if (end - start !== (type === 'A' ? 4 : 16))
        throw new RangeError('The data is not as long as an address.');
    const bytes = new Uint8Array(view.buffer, view.byteOffset + start, end - start);
    if (type === 'A')
        return bytes.join('.');
    const groups = Array.from({ length: 8 }, (_, group) => view.getUint16(start + group * 2).toString(16));
    return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
function readName(view, start) {
    const labels = [];
    let nameBytes = 0;
    let end = null;
    let at = start;
    let lowest = start;
    for (let length = view.getUint8(at); length !== 0; length = view.getUint8(at)) {
        if (length >= 0xc0) {
            end ??= at + 2;
            at = view.getUint16(at) & 0x3fff;
            if (at >= lowest)
                throw new RangeError('A pointer does not lead backwards.');
            lowest = at;
            continue;
        }
        nameBytes += 1 + length;
        if (length > maxLabelBytes || nameBytes > maxNameBytes)
            throw new RangeError('A name is too long.');
        labels.push(labelText(view, at + 1, length));
        at += 1 + length;
    }
    return { name: labels.join('.'), end: end ?? at + 1 };
}
function labelText(view, start, length) {
    const bytes = Array.from({ length }, (_, offset) => view.getUint8(start + offset));
    return bytes
        .map(byte => String.fromCharCode(byte))
        .map(character => /[\w*-]/.test(character) ? character : `\\${String(character.charCodeAt(0)).padStart(3, '0')}`)
        .join('')
        .toLowerCase();
}
function twoBytes(value) {
    return [value >> 8, value & 0xff];
}


/***/ }),

/***/ 257:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   p: () => (/* binding */ withHeartbeat)
/* harmony export */ });
/* harmony import */ var _result_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(416);

const timeoutMs = 5000;
const maxBytes = 64 * 1024;
async function withHeartbeat(url, round, exchange, isStopping) {
    if (url === null)
        return round();
    const takesSuffix = new URL(url).search === '';
    const base = takesSuffix ? url.replace(/\/$/, '') : url;
    const starting = takesSuffix ? beat(`${base}/start`, exchange) : null;
    const result = await round();
    const started = await starting;
    const isFailed = (0,_result_js__WEBPACK_IMPORTED_MODULE_0__/* .overall */ .Me)(result) === 'failed';
    const silent = isFailed && (!takesSuffix || isStopping());
    const ended = silent ? null : await beat(isFailed ? `${base}/fail` : url, exchange);
    const beats = [starting === null ? null : started, ended];
    const sent = (starting === null ? 0 : 1) + (silent ? 0 : 1);
    return {
        ...result,
        requests: result.requests + sent,
        warnings: [...result.warnings, ...beats.filter(warning => warning !== null)],
    };
}
async function beat(url, exchange) {
    const outcome = await exchange({ method: 'GET', url, headers: {}, timeoutMs, maxBytes });
    const isTaken = outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300;
    if (isTaken)
        return null;
    const what = outcome.kind === 'response' ? `it returned ${outcome.status}` : outcome.detail;
    return `The monitor behind heartbeat-url did not take a beat: ${what}. The records are not affected.`;
}


/***/ }),

/***/ 333:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  cv: () => (/* binding */ exchange)
});

// UNUSED EXPORTS: parseRateLimits, parseRetryAfter

;// CONCATENATED MODULE: external "node:http"
const external_node_http_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");
;// CONCATENATED MODULE: external "node:https"
const external_node_https_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:https");
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __nccwpck_require__(30);
// EXTERNAL MODULE: ./action/proxy.ts
var action_proxy = __nccwpck_require__(657);
;// CONCATENATED MODULE: ./action/connections.ts




const maxIdleMs = 4000;
const maxConnectMs = 10_000;
const keptOpen = { keepAlive: true, timeout: maxIdleMs };
const agents = new Map();
function agentFor(url) {
    const proxy = (0,action_proxy/* proxyFor */.iJ)(url, process.env);
    const key = `${url.origin} ${proxy?.href}`;
    const agent = agents.get(key) ?? createAgent(url, proxy);
    agents.set(key, agent);
    return agent;
}
function createAgent({ protocol }, proxy) {
    if (proxy)
        return new TunnelAgent(proxy);
    return protocol === 'https:' ? new external_node_https_namespaceObject.Agent(keptOpen) : new external_node_http_namespaceObject.Agent(keptOpen);
}
class TunnelAgent extends external_node_https_namespaceObject.Agent {
    #proxy;
    constructor(proxy) {
        super(keptOpen);
        this.#proxy = proxy;
    }
    createConnection(options, onConnection) {
        const host = (0,external_node_net_.isIPv6)(options.host ?? '') ? `[${options.host}]` : options.host;
        const target = `${host}:${options.port}`;
        const credentials = (0,action_proxy/* credentialsOf */.YN)(this.#proxy);
        const authorization = credentials
            ? { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
            : {};
        const fail = (error) => onConnection(error, undefined);
        const client = this.#proxy.protocol === 'https:' ? external_node_https_namespaceObject : external_node_http_namespaceObject;
        const connect = client.request({
            hostname: this.#proxy.hostname.replace(/^\[|\]$/g, ''),
            port: this.#proxy.port,
            method: 'CONNECT',
            path: target,
            headers: { Host: target, ...authorization },
            agent: false,
            timeout: maxConnectMs,
        });
        connect.on('timeout', () => connect.destroy(new Error('the proxy did not respond')));
        connect.on('error', fail);
        connect.on('connect', ({ statusCode }, socket, head) => {
            if (statusCode === 200 && head.length === 0) {
                onConnection(null, super.createConnection({ ...options, socket }));
                return;
            }
            socket.destroy();
            fail(new Error(`the proxy returned ${statusCode} to CONNECT`));
        });
        connect.end();
    }
}

// EXTERNAL MODULE: ./action/report/quote.ts
var quote = __nccwpck_require__(456);
;// CONCATENATED MODULE: ./action/http.ts




const userAgent = 'homeport-action';
async function exchange(request) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort('timeout'), Math.max(1, request.timeoutMs));
    const cancel = () => abort.abort('aborted');
    if (request.signal?.aborted)
        cancel();
    request.signal?.addEventListener('abort', cancel, { once: true });
    try {
        return await Promise.race([endedBy(abort.signal, request), attempt(request, abort.signal)]);
    }
    finally {
        clearTimeout(timer);
        request.signal?.removeEventListener('abort', cancel);
    }
}
function endedBy(signal, request) {
    return new Promise(resolve => {
        const end = () => resolve(ended(request, signal));
        if (signal.aborted)
            end();
        signal.addEventListener('abort', end, { once: true });
    });
}
async function attempt(request, signal) {
    let responding = false;
    try {
        const message = await send(request, signal);
        responding = true;
        const chunks = [];
        let bytes = 0;
        for await (const chunk of message) {
            bytes += chunk.length;
            if (bytes > request.maxBytes) {
                message.destroy();
                return failure('too-large', `the response is longer than ${request.maxBytes} bytes`);
            }
            chunks.push(chunk);
        }
        return {
            kind: 'response',
            status: message.statusCode ?? 0,
            contentType: (message.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
            retryAfterMs: parseRetryAfter(message.headers['retry-after'], Date.now()),
            rateLimits: parseRateLimits(String(message.headers['ratelimit'] ?? '')),
            body: Buffer.concat(chunks).toString(request.encoding ?? 'utf8'),
        };
    }
    catch (error) {
        if (signal.aborted)
            return ended(request, signal);
        const name = nameOf(error);
        if (responding)
            return failure('cut', `the response was cut off (${name})`);
        return failure(name === 'ECONNRESET' ? 'reset' : 'network', `no response (${name})`);
    }
}
function ended(request, signal) {
    return signal.reason === 'timeout'
        ? failure('timeout', `no complete response within ${(request.timeoutMs / 1000).toFixed(1)} s`)
        : failure('aborted', 'not needed any more');
}
function failure(cause, detail) {
    return { kind: 'failure', cause, detail };
}
function send(request, signal) {
    const url = new URL(request.url);
    const options = {
        method: request.method,
        headers: { ...request.headers, 'User-Agent': userAgent },
        agent: agentFor(url),
        signal,
        ...(request.family ? { family: request.family } : {}),
    };
    return new Promise((resolve, reject) => {
        const sent = (url.protocol === 'https:' ? external_node_https_namespaceObject : external_node_http_namespaceObject).request(url, options, resolve);
        sent.on('error', reject);
        sent.end(request.body);
    });
}
function nameOf(error) {
    if (!(error instanceof Error))
        return 'unknown error';
    const { code } = error;
    return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : (0,quote/* quote */.h)(error.message);
}
function parseRetryAfter(value, nowMs) {
    if (value === undefined)
        return null;
    if (/^\d{1,9}$/.test(value))
        return Number(value) * 1000;
    const date = /^[A-Z][a-z]{2}, .{20,25} GMT$/.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
function parseRateLimits(value) {
    return value.split(',').flatMap(policy => {
        const number = (name) => Number(new RegExp(`;\\s*${name}=(\\d{1,9})\\s*(;|$)`).exec(policy)?.[1] ?? Number.NaN);
        const [remaining, resetSeconds] = [number('r'), number('t')];
        return Number.isNaN(remaining + resetSeconds) ? [] : [{ remaining, resetMs: resetSeconds * 1000 }];
    });
}


/***/ }),

/***/ 708:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  t: () => (/* binding */ commandInputs)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __nccwpck_require__(24);
;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
// EXTERNAL MODULE: ./action/report/quote.ts
var quote = __nccwpck_require__(456);
// EXTERNAL MODULE: ./action/inputs/names.ts
var names = __nccwpck_require__(539);
// EXTERNAL MODULE: ./action/inputs/table.ts
var table = __nccwpck_require__(307);
;// CONCATENATED MODULE: ./action/inputs/command.ts





const valueFlags = ['api-token-file', 'config', 'watch'];
const switches = ['once', 'json', 'help', 'version'];
const flaggedInputs = table/* inputNames */.vj.filter(name => !table/* secretInputs */._y.includes(name));
const allFlags = [...flaggedInputs, ...valueFlags, ...switches];
const tokenHint = 'Use --api-token-file FILE, the environment variable HOMEPORT_API_TOKEN, or a systemd credential named api-token.';
function commandInputs(args, env) {
    const problems = [];
    const flags = readFlags(args, problems);
    const configFile = flags.get('config');
    const config = configFile === undefined ? new Map() : readConfig(configFile, problems);
    const tokenFile = flags.get('api-token-file');
    const tokenFromFile = tokenFile === undefined ? undefined : readText('api-token-file', tokenFile, problems);
    const variables = readVariables(env, problems);
    const credentials = readCredentials(env['CREDENTIALS_DIRECTORY'], problems);
    return {
        options: { help: flags.has('help'), version: flags.has('version'), json: flags.has('json') },
        given: {
            text: name => {
                if (isWatchInput(name) && flags.has('once'))
                    return undefined;
                return ((name === 'api-token'
                    ? tokenFromFile
                    : flags.get(name === 'watch-interval' && flags.has('watch') ? 'watch' : name)) ??
                    variables.get(name) ??
                    credentials.get(name) ??
                    config.get(name));
            },
            problems,
            tokenHint,
            mayBeEndless: true,
        },
    };
}
function readFlags(args, problems) {
    const flags = new Map();
    const rest = [...args];
    for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
        const [, name, inline] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(argument) ?? [];
        if (name === undefined) {
            problems.push(`${(0,quote/* quote */.h)(argument)} is not a flag. Flags start with --, as in --hostname home.example.com.`);
        }
        else if (table/* secretInputs */._y.includes(name)) {
            if (inline === undefined && rest[0]?.startsWith('--') === false)
                rest.shift();
            problems.push(`--${name} is not a flag, because every user of the host can see a command line. ${tokenHint}`);
        }
        else if (!allFlags.includes(name)) {
            problems.push((0,names/* unknownName */.U)(`--${name}`, 'a flag', allFlags.map(flag => `--${flag}`)));
            if (inline === undefined && rest[0]?.startsWith('--') === false)
                rest.shift();
        }
        else {
            const value = inline ?? (isSwitch(name) ? 'true' : rest.shift());
            if (value === undefined)
                problems.push(`--${name} has no value. Write --${name} VALUE.`);
            else
                flags.set(name, flags.has(name) ? `${flags.get(name)}\n${value}` : value);
        }
    }
    return flags;
}
function isWatchInput(name) {
    return name === 'watch-interval' || name === 'watch-for';
}
function isSwitch(name) {
    return switches.includes(name) || table/* inputs */.QL[name] === 'false';
}
function readVariables(env, problems) {
    const prefix = 'HOMEPORT_';
    const nameOf = new Map(table/* inputNames */.vj.map(name => [prefix + name.replaceAll('-', '_').toUpperCase(), name]));
    const found = new Map();
    for (const [variable, value] of Object.entries(env)) {
        if (!variable.startsWith(prefix) || value === undefined)
            continue;
        const name = nameOf.get(variable);
        if (name)
            found.set(name, value);
        else {
            const nearest = (0,names/* unknownName */.U)(variable.slice(prefix.length).toLowerCase(), 'an input', table/* inputNames */.vj);
            problems.push(`${variable}: ${nearest}`);
        }
    }
    return found;
}
function readCredentials(folder, problems) {
    const found = new Map();
    for (const name of folder ? table/* secretInputs */._y : []) {
        const text = readText('CREDENTIALS_DIRECTORY', (0,external_node_path_namespaceObject.join)(folder ?? '', name), problems, true);
        if (text !== undefined)
            found.set(name, text);
    }
    return found;
}
function readConfig(file, problems) {
    const found = new Map();
    const text = readText('config', file, problems);
    if (text === undefined)
        return found;
    const config = parseObject(text);
    if (config === null) {
        problems.push(`config: ${(0,quote/* quote */.h)(file)} is not a JSON object. Write it like {"hostname": "home.example.com"}.`);
        return found;
    }
    for (const [name, value] of Object.entries(config)) {
        const items = Array.isArray(value) ? value : [value];
        if (!table/* inputNames */.vj.includes(name)) {
            problems.push(`config: ${(0,names/* unknownName */.U)(name, 'an input', table/* inputNames */.vj)}`);
        }
        else if (!items.every(item => ['string', 'number', 'boolean'].includes(typeof item))) {
            problems.push(`config: ${name} is not a text, a number, true, false or a list of these.`);
        }
        else if (table/* secretInputs */._y.includes(name) && isReadableByOthers(file)) {
            problems.push(`config: ${(0,quote/* quote */.h)(file)} holds ${name}, but its group or everybody can read it. Run chmod 600 on it, and ` +
                'replace the secret if somebody may have seen it.');
            found.set(name, items.join('\n'));
        }
        else {
            found.set(name, items.join('\n'));
        }
    }
    return found;
}
function parseObject(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
    }
    catch {
        return null;
    }
}
function isReadableByOthers(file) {
    return process.platform !== 'win32' && ((0,external_node_fs_.statSync)(file).mode & 0o044) !== 0;
}
function readText(what, file, problems, optional = false) {
    try {
        return (0,external_node_fs_.readFileSync)(file, 'utf8');
    }
    catch (error) {
        const code = String(error.code ?? 'unknown error');
        if (!(optional && code === 'ENOENT')) {
            problems.push(`${what}: ${(0,quote/* quote */.h)(file)} cannot be read (${code}). Check the path and its permissions.`);
        }
        return undefined;
    }
}


/***/ }),

/***/ 864:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   B: () => (/* binding */ helpText),
/* harmony export */   r: () => (/* binding */ version)
/* harmony export */ });
/* harmony import */ var _table_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(307);

const version = '0.1.0';
const values = {
    hostname: 'NAME[ ZONE-ID]',
    'address-sources': 'SOURCE',
    'doh-resolvers': 'URL',
    'expected-cidr': 'RANGE',
    'record-type': 'TYPES',
    'ipv6-suffix': '[NAME ]SUFFIX',
    'name-servers': 'HOST[:PORT]',
    timeout: 'DURATION',
    'base-url': 'URL',
};
function helpText() {
    const flags = _table_js__WEBPACK_IMPORTED_MODULE_0__/* .inputNames */ .vj
        .filter(name => !_table_js__WEBPACK_IMPORTED_MODULE_0__/* .secretInputs */ ._y.includes(name))
        .map(name => {
        const value = _table_js__WEBPACK_IMPORTED_MODULE_0__/* .inputs */ .QL[name] === 'false' ? '' : ` ${values[name] ?? 'VALUE'}`;
        const text = _table_js__WEBPACK_IMPORTED_MODULE_0__/* .inputs */ .QL[name] === '' || _table_js__WEBPACK_IMPORTED_MODULE_0__/* .inputs */ .QL[name] === 'false' ? '' : `default: ${_table_js__WEBPACK_IMPORTED_MODULE_0__/* .inputs */ .QL[name]}`;
        return `  ${`--${name}${value}`.padEnd(34)}${text}`.trimEnd();
    });
    return `homeport ${version}: keeps DNS records pointed at the public address of this host.

Usage: homeport --api-token-file FILE --zone-id ID --hostname NAME [flags]

  --api-token-file FILE             file that holds the API token
  --config FILE                     JSON object with inputs; flags and HOMEPORT_* variables override it
  --watch DURATION                  check again and again, as --watch-interval does, until it is stopped
  --once                            check once, whatever watch-interval says
  --json                            print one JSON object a round on stdout, and the log on stderr
  --help, --version

Inputs, as in the README. Repeat a flag to add a line. Each is also a variable, such as HOMEPORT_ZONE_ID.
${flags.join('\n')}

The token comes from --api-token-file, HOMEPORT_API_TOKEN, $CREDENTIALS_DIRECTORY/api-token, or a config file
that only its owner can read. The exit status is 0 if every record is right.
`;
}


/***/ }),

/***/ 371:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   B: () => (/* binding */ givenSecrets),
/* harmony export */   z: () => (/* binding */ readMaskAddress)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(24);
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__nccwpck_require__.n(node_fs__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var _reader_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(616);
/* harmony import */ var _table_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(307);



function givenSecrets(given) {
    return _table_js__WEBPACK_IMPORTED_MODULE_2__/* .secretInputs */ ._y.map(name => secretPart(given.text(name)?.trim() ?? ''));
}
function secretPart(text) {
    const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : null;
    if (!url)
        return text;
    const path = `${url.pathname}${url.search}`;
    return path === '/' ? '' : path;
}
function readMaskAddress(read, env) {
    const choice = (0,_reader_js__WEBPACK_IMPORTED_MODULE_1__/* .readChoice */ .Kf)(read, 'mask-address', ['auto', 'true', 'false']);
    if (choice !== 'auto')
        return choice === 'true';
    return (0,_reader_js__WEBPACK_IMPORTED_MODULE_1__/* .isAction */ .ve)(env) && !isPrivateRepository(env['GITHUB_EVENT_PATH']);
}
function isPrivateRepository(eventPath) {
    if (!eventPath)
        return false;
    try {
        const event = JSON.parse((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(eventPath, 'utf8'));
        return event?.repository?.private === true;
    }
    catch {
        return false;
    }
}


/***/ }),

/***/ 539:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   U: () => (/* binding */ unknownName)
/* harmony export */ });
/* unused harmony export nearestName */
/* harmony import */ var _report_quote_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(456);

function unknownName(name, what, known) {
    const nearest = nearestName(name, known);
    const advice = nearest === null ? 'Remove it, or see the README for the names.' : `Did you mean ${nearest}?`;
    return `${(0,_report_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quote */ .h)(name)} is not ${what}. ${advice}`;
}
function nearestName(name, known) {
    const plain = name.toLowerCase().replaceAll('_', '-').slice(0, maxNameCharacters);
    const ranked = known
        .map(candidate => ({ candidate, edits: countEdits(plain, candidate) }))
        .toSorted((one, other) => one.edits - other.edits);
    const [best] = ranked;
    return best && best.edits * 2 <= plain.length ? best.candidate : null;
}
const maxNameCharacters = 64;
function countEdits(from, to) {
    let row = Array.from({ length: to.length + 1 }, (_, index) => index);
    for (let at = 1; at <= from.length; at++) {
        const next = [at];
        for (let index = 1; index <= to.length; index++) {
            const replaced = (row[index - 1] ?? 0) + (from[at - 1] === to[index - 1] ? 0 : 1);
            next.push(Math.min((row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1, replaced));
        }
        row = next;
    }
    return row[to.length] ?? 0;
}


/***/ }),

/***/ 616:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   $7: () => (/* binding */ readDuration),
/* harmony export */   Kf: () => (/* binding */ readChoice),
/* harmony export */   Vf: () => (/* binding */ readBoolean),
/* harmony export */   WF: () => (/* binding */ createReader),
/* harmony export */   dZ: () => (/* binding */ redactTokenShapes),
/* harmony export */   eh: () => (/* binding */ actionInputs),
/* harmony export */   ve: () => (/* binding */ isAction)
/* harmony export */ });
/* harmony import */ var _report_quote_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(456);
/* harmony import */ var _names_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(539);
/* harmony import */ var _table_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(307);



function isAction(env) {
    return env['GITHUB_ACTIONS'] === 'true';
}
function actionInputs(env) {
    const variableOf = (name) => `INPUT_${name.toUpperCase()}`;
    const known = new Set(_table_js__WEBPACK_IMPORTED_MODULE_2__/* .inputNames */ .vj.map(variableOf));
    const unknown = Object.keys(env).filter(variable => variable.startsWith('INPUT_') && !known.has(variable));
    return {
        mayBeEndless: false,
        tokenHint: 'Pass the secret that holds the token. Runs for forks and Dependabot get no secrets, and the job needs ' +
            '"environment:" to get the secret of an environment.',
        text: name => env[variableOf(name)],
        problems: unknown.map(variable => (0,_names_js__WEBPACK_IMPORTED_MODULE_1__/* .unknownName */ .U)(variable.slice('INPUT_'.length).toLowerCase(), 'an input of this action', _table_js__WEBPACK_IMPORTED_MODULE_2__/* .inputNames */ .vj)),
    };
}
function createReader(given, problems) {
    const text = (name) => (given.text(name) ?? '').trim() || _table_js__WEBPACK_IMPORTED_MODULE_2__/* .inputs */ .QL[name];
    return {
        text,
        lines: name => text(name)
            .split('\n')
            .map(line => line.trim())
            .filter(line => line !== ''),
        addProblem: (input, message) => void problems.push(redactTokenShapes(`${input} ${message}`)),
    };
}
function redactTokenShapes(text) {
    return text.replace(/[\w-]{37,}|[\w-]+(?=" \(truncated)/g, '***');
}
function readBoolean(read, name) {
    return readChoice(read, name, ['true', 'false']) === 'true';
}
const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });
function readChoice(read, name, choices) {
    const text = read.text(name).toLowerCase();
    const choice = choices.find(allowed => allowed === text);
    if (choice === undefined)
        read.addProblem(name, `is ${(0,_report_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quote */ .h)(text)}. Use ${alternatives.format(choices)}.`);
    return choice ?? choices[0];
}
function readDuration(read, name, limits) {
    const text = read.text(name);
    const [, digits = '', unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
    const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
    const durationMs = Number(digits) * (unitMs[unit] ?? 0);
    if (durationMs < limits.minMs || durationMs > limits.maxMs) {
        read.addProblem(name, `is ${(0,_report_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quote */ .h)(text)}. Use a duration from ${limits.range}, such as 60s.`);
    }
    return durationMs;
}


/***/ }),

/***/ 459:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  s: () => (/* binding */ readSettings)
});

// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __nccwpck_require__(30);
// EXTERNAL MODULE: ./action/address/family.ts + 1 modules
var family = __nccwpck_require__(461);
// EXTERNAL MODULE: ./action/address/quorum.ts
var address_quorum = __nccwpck_require__(545);
// EXTERNAL MODULE: ./action/report/quote.ts
var quote = __nccwpck_require__(456);
// EXTERNAL MODULE: ./action/inputs/reader.ts
var reader = __nccwpck_require__(616);
// EXTERNAL MODULE: ./action/address/resolver.ts
var resolver = __nccwpck_require__(602);
// EXTERNAL MODULE: ./action/records/hostname.ts + 1 modules
var records_hostname = __nccwpck_require__(164);
// EXTERNAL MODULE: ./action/inputs/table.ts
var table = __nccwpck_require__(307);
;// CONCATENATED MODULE: ./action/inputs/url.ts

function parseSafeUrl(text) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url)
        return null;
    const { protocol, hostname } = url;
    const loopback = hostname === 'localhost' || hostname === '[::1]' || ((0,external_node_net_.isIPv4)(hostname) && hostname.startsWith('127.'));
    return protocol === 'https:' || (protocol === 'http:' && loopback) ? url : null;
}
function hasCredentials(url) {
    return url.username !== '' || url.password !== '';
}

;// CONCATENATED MODULE: ./action/inputs/sources.ts





const maxSources = 10;
const minResolvers = 2;
const maxResolvers = 4;
const tracePath = '/cdn-cgi/trace';
function readSources(read, lines, targets, resolvers) {
    if (lines.length > maxSources) {
        read.addProblem('address-sources', `lists ${lines.length} sources. The limit is ${maxSources}.`);
        return [];
    }
    const managed = targets.map(({ hostname }) => hostname);
    const sources = lines.flatMap(line => {
        const source = readSource(line, resolvers, managed);
        if (typeof source !== 'string')
            return [source];
        read.addProblem('address-sources', source);
        return [];
    });
    for (const [index, { name }] of sources.entries()) {
        if (sources.findIndex(other => other.name === name) < index) {
            read.addProblem('address-sources', `lists ${name} twice. A source has one vote: remove one of them.`);
        }
    }
    return sources;
}
function readSource(line, resolvers, managed) {
    const [, scheme, rest = ''] = /^(dns|interface):(.*)$/i.exec(line) ?? [];
    if (scheme?.toLowerCase() === 'dns')
        return readDnsSource(rest.trim(), resolvers, managed);
    if (scheme) {
        const device = rest.trim();
        return /^[^\s/]+$/.test(device)
            ? { kind: 'interface', name: `interface:${device}`, device }
            : `${(0,quote/* quote */.h)(line)} names no interface. Write it like interface:eth0.`;
    }
    const url = parseSafeUrl(line);
    if (!url)
        return `${(0,quote/* quote */.h)(line)} is not an https URL. Use https (http only on loopback), one URL per line.`;
    if (hasCredentials(url)) {
        return `has a user name or password in the URL for ${(0,quote/* quote */.h)(url.host)}. Remove it: an echo service needs none.`;
    }
    return {
        kind: 'echo',
        name: url.host.replace(/\.(?=:|$)/, ''),
        url: url.href,
        form: url.pathname === tracePath ? 'trace' : 'text',
    };
}
function readDnsSource(text, resolvers, managed) {
    const hostname = (0,records_hostname/* canonicalHostname */.G)(text);
    if (!hostname || hostname.startsWith('*')) {
        return `${(0,quote/* quote */.h)(`dns:${text}`)} names no host. Write it like dns:router.example.net.`;
    }
    const own = managed.find(target => (0,resolver/* answersFor */.z)(target, hostname));
    if (own) {
        const how = own === hostname ? 'which this run writes' : `which the record ${own} of this run may answer for`;
        return `asks for ${hostname}, ${how}, so it would confirm whatever is there. Name another host.`;
    }
    return { kind: 'dns', name: `dns:${hostname}`, hostname, resolvers, managed };
}
function readResolvers(read) {
    const lines = read.lines('doh-resolvers');
    if (lines.length === 0)
        return table/* defaultDohResolvers */.Ub;
    const urls = lines.flatMap(line => {
        const url = parseSafeUrl(line);
        if (url && !hasCredentials(url))
            return [url.href];
        read.addProblem('doh-resolvers', `${(0,quote/* quote */.h)(url?.host ?? line)} is not an https URL without a user name and password, one per line.`);
        return [];
    });
    const distinct = new Set(urls).size;
    if (urls.length === lines.length &&
        (distinct < minResolvers || distinct > maxResolvers || distinct < urls.length)) {
        read.addProblem('doh-resolvers', `lists ${distinct} different resolvers in ${urls.length} lines. Use ${minResolvers} to ${maxResolvers}, run by ` +
            'different operators.');
    }
    return urls;
}

// EXTERNAL MODULE: ./action/address/suffix.ts
var address_suffix = __nccwpck_require__(205);
;// CONCATENATED MODULE: ./action/inputs/suffixes.ts



function readSuffixes(read, targets, types) {
    const suffixes = new Map();
    const lines = read.lines('ipv6-suffix');
    const addProblem = (message) => read.addProblem('ipv6-suffix', message);
    if (lines.length > 0 && !types.includes('AAAA'))
        addProblem('needs record-type AAAA or A,AAAA.');
    let common = null;
    for (const line of lines) {
        const words = line.split(/\s+/);
        const suffix = (0,address_suffix/* parseSuffix */.n)(words.at(-1) ?? '');
        const hostname = words.length === 2 ? (0,records_hostname/* canonicalHostname */.G)(words[0] ?? '') : null;
        const named = targets.some(target => target.hostname === hostname);
        if ('problem' in suffix)
            addProblem(`${(0,quote/* quote */.h)(line)} ${suffix.problem}.`);
        else if (words.length === 1 && common === null)
            common = suffix;
        else if (words.length === 1)
            addProblem('has several host parts without a name. Put a hostname before each.');
        else if (!hostname || !named)
            addProblem(`${(0,quote/* quote */.h)(line)} does not start with one of the hostnames.`);
        else if (suffixes.has(hostname))
            addProblem(`lists ${hostname} twice.`);
        else
            suffixes.set(hostname, suffix);
    }
    for (const { hostname } of lines.length > 0 ? targets : []) {
        const suffix = suffixes.get(hostname) ?? common;
        if (suffix)
            suffixes.set(hostname, suffix);
        else
            addProblem(`has no host part for ${hostname}. Add a line for it, or one without a name for all others.`);
    }
    return suffixes;
}

;// CONCATENATED MODULE: ./action/inputs/address.ts








const recordTypes = ['A', 'AAAA'];
function readAddresses(read, targets) {
    const types = readRecordTypes(read);
    const suffixes = readSuffixes(read, targets, types);
    const resolvers = readResolvers(read);
    const suffixesOf = (type) => type === 'AAAA' ? suffixes : new Map();
    const given = read.lines('address');
    if (given.length > 0) {
        if (read.text('address-sources') !== '') {
            read.addProblem('address', 'cannot be combined with address-sources. Remove one of them.');
        }
        const addresses = readGiven(read, given, types);
        return types.map(type => ({
            type,
            source: { kind: 'given', address: addresses.get(type) ?? '' },
            suffixes: suffixesOf(type),
        }));
    }
    const listed = read.lines('address-sources');
    const configured = listed.length > 0 ? readSources(read, listed, targets, resolvers) : null;
    return types.map(type => {
        const sources = (configured ?? readSources(read, table/* defaultEchoUrls */.ff[type], targets, resolvers)).filter(source => isReachable(source, type));
        if (configured && configured.length > 0 && sources.length === 0) {
            read.addProblem('address-sources', `lists no source for ${type} records: none of its URLs can be reached over IPv${family/* families */.TJ[type].version}.`);
        }
        return {
            type,
            source: { kind: 'asked', sources, quorum: readQuorum(read, sources.length) },
            suffixes: suffixesOf(type),
        };
    });
}
function readAddressRules(read) {
    return { expectedCidrs: readCidrs(read), allowReserved: (0,reader/* readBoolean */.Vf)(read, 'allow-reserved-address') };
}
function checkExpectedTypes(read, { expectedCidrs }, addresses) {
    for (const { type } of addresses) {
        const { version } = family/* families */.TJ[type];
        if (expectedCidrs.length > 0 && !expectedCidrs.some(range => range.family === version)) {
            read.addProblem('expected-cidr', `lists no IPv${version} range, but record-type includes ${type}. Add one.`);
        }
    }
}
function readRecordTypes(read) {
    const text = read.text('record-type');
    const wanted = text.split(',').map(part => part.trim().toUpperCase());
    const types = recordTypes.filter(type => wanted.includes(type));
    if (types.length === wanted.length)
        return types;
    read.addProblem('record-type', `is ${(0,quote/* quote */.h)(text)}. Use A, AAAA, or A,AAAA.`);
    return ['A'];
}
function readGiven(read, lines, types) {
    const parsed = types.map(type => lines.flatMap(line => family/* families */.TJ[type].parse(line) ?? []));
    if (lines.length === types.length && parsed.every(({ length }) => length === 1)) {
        return new Map(types.map((type, index) => [type, parsed[index]?.[0] ?? '']));
    }
    const wanted = types.map(type => `one IPv${family/* families */.TJ[type].version} address, such as ${family/* families */.TJ[type].example}`);
    read.addProblem('address', `is ${(0,quote/* quote */.h)(lines.join(' '))}. Enter ${wanted.join(', and on a line of its own ')}.`);
    return new Map();
}
function isReachable(source, type) {
    if (source.kind !== 'echo')
        return true;
    const literal = (0,external_node_net_.isIP)(new URL(source.url).hostname.replace(/^\[|\]$/g, ''));
    return literal === 0 || literal === family/* families */.TJ[type].version;
}
function readQuorum(read, sources) {
    const text = read.text('quorum');
    if (text === '' || sources === 0)
        return (0,address_quorum/* majority */.yf)(sources);
    const quorum = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    if (quorum < 1 || quorum > sources) {
        read.addProblem('quorum', `is ${(0,quote/* quote */.h)(text)}. Use a whole number from 1 to ${sources}, the number of sources.`);
    }
    return quorum;
}
function readCidrs(read) {
    return read.lines('expected-cidr').flatMap(line => {
        const range = (0,family/* parseCidr */.GN)(line);
        if (!('problem' in range))
            return [range];
        read.addProblem('expected-cidr', `${(0,quote/* quote */.h)(line)} ${range.problem}.`);
        return [];
    });
}

;// CONCATENATED MODULE: ./action/inputs/heartbeat.ts

function readHeartbeat(read) {
    const text = read.text('heartbeat-url');
    if (text === '')
        return null;
    const url = parseSafeUrl(text);
    if (!url || hasCredentials(url)) {
        read.addProblem('heartbeat-url', 'is not an https URL without a user name (http only on loopback).');
    }
    return url?.href ?? null;
}

// EXTERNAL MODULE: ./action/inputs/masking.ts
var masking = __nccwpck_require__(371);
// EXTERNAL MODULE: ./action/proxy.ts
var proxy = __nccwpck_require__(657);
;// CONCATENATED MODULE: ./action/inputs/proxies.ts


function checkProxies(read, env) {
    for (const name of ['https_proxy', 'HTTPS_PROXY']) {
        const value = env[name];
        if (value && !(0,proxy/* parseProxy */.YR)(value)) {
            read.addProblem(name, 'is not the URL of an HTTP proxy, so requests would bypass it. Write it as http://host:port.');
        }
    }
}
function checkProxiedEchoes(read, addresses, { expectedCidrs }, variables) {
    const proxied = addresses.flatMap(({ type, source }) => {
        const guarded = expectedCidrs.some(range => range.family === family/* families */.TJ[type].version);
        const sources = source.kind === 'given' || guarded ? [] : source.sources;
        return sources.flatMap(voter => voter.kind === 'echo' && (0,proxy/* proxyFor */.iJ)(new URL(voter.url), variables) ? voter.name : []);
    });
    if (proxied.length === 0)
        return;
    read.addProblem('address-sources', 'would be asked through https_proxy, so echo services would return the address of the proxy. Add them to no_proxy ' +
        `(${[...new Set(proxied)].join(',')}), or set expected-cidr to the ranges of your own address.`);
}

;// CONCATENATED MODULE: ./action/inputs/record.ts


function readRecordRules(read) {
    return {
        ttl: readTtl(read),
        proxied: (0,reader/* readBoolean */.Vf)(read, 'proxied'),
        onDrift: (0,reader/* readChoice */.Kf)(read, 'on-drift', ['warn', 'repair']),
        create: (0,reader/* readBoolean */.Vf)(read, 'create'),
    };
}
function readTtl(read) {
    const text = read.text('ttl');
    const ttl = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (ttl !== 1 && (ttl < 30 || ttl > 86_400)) {
        read.addProblem('ttl', `is ${(0,quote/* quote */.h)(text)}. Use 60 to 86400 seconds (from 30 on Enterprise plans), or 1 for automatic.`);
    }
    return ttl;
}

;// CONCATENATED MODULE: ./action/inputs/schedule.ts

const day = 24 * 60 * 60 * 1000;
const intervalLimits = { minMs: 1000, maxMs: day, range: '1s to 24h' };
const lengthLimits = { minMs: 1000, maxMs: 5 * day, range: '1s to 120h' };
function readSchedule(read, mayBeEndless) {
    const [hasInterval, hasEnd] = [read.text('watch-interval') !== '', read.text('watch-for') !== ''];
    if (hasEnd && !hasInterval) {
        read.addProblem('watch-for', 'is set, but watch-interval is not. Set both, or neither.');
    }
    if (!hasInterval)
        return null;
    if (!hasEnd && !mayBeEndless) {
        read.addProblem('watch-for', 'is empty. Set it, such as 55m: GitHub ends a job that does not end by itself.');
    }
    return {
        intervalMs: (0,reader/* readDuration */.$7)(read, 'watch-interval', intervalLimits),
        forMs: hasEnd ? (0,reader/* readDuration */.$7)(read, 'watch-for', lengthLimits) : null,
    };
}

;// CONCATENATED MODULE: ./action/inputs/service.ts



function readToken(read, hint) {
    const token = read.text('api-token');
    const addProblem = (message) => read.addProblem('api-token', message);
    if (token === '') {
        addProblem(`is empty. ${hint}`);
    }
    else if (/^["'`].*["'`]$/s.test(token)) {
        addProblem('is in quotes. Store the token without them.');
    }
    else if (/^bearer\s/i.test(token)) {
        addProblem('starts with "Bearer". Paste only the token.');
    }
    else if (token.startsWith('cfk_') || /^[0-9a-f]{37}$/i.test(token)) {
        addProblem('is a global API key, which can change everything in the account. Create a token from the template ' +
            '"Edit zone DNS" for this zone only.');
    }
    else if (!/^[\x21-\x7e]+$/.test(token)) {
        addProblem('contains white space or characters that tokens never contain. Paste it again, on one line.');
    }
    return token;
}
function readBaseUrl(read) {
    const text = read.text('base-url');
    const addProblem = (message) => read.addProblem('base-url', message);
    const url = parseSafeUrl(text);
    if (!url) {
        addProblem(`is ${(0,quote/* quote */.h)(text)}. Use an https URL (http only on loopback), because the token is sent there.`);
        return '';
    }
    if (hasCredentials(url))
        addProblem('contains a user name or password. Remove them.');
    if (!/^(\/client\/v4)?\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
        addProblem(`is ${(0,quote/* quote */.h)(text)}. Use the root of the API, such as ${table/* inputs */.QL['base-url']}. The action adds the path.`);
    }
    return url.origin;
}

;// CONCATENATED MODULE: ./action/inputs/targets.ts


const maxHostnames = 1000;
function readTargets(read) {
    const defaultZone = read.text('zone-id');
    if (defaultZone !== '')
        checkZoneId(read, 'zone-id', defaultZone);
    const lines = read.lines('hostname');
    if (lines.length === 0) {
        read.addProblem('hostname', 'is empty. Enter a fully qualified name, such as home.example.com, one per line.');
        if (defaultZone === '')
            read.addProblem('zone-id', 'is empty. Copy the zone ID from the overview page of the zone.');
    }
    if (lines.length > maxHostnames) {
        read.addProblem('hostname', `lists ${lines.length} names. The limit is ${maxHostnames}.`);
        return [];
    }
    const targets = lines.flatMap(line => readTarget(read, line, defaultZone));
    const seen = new Set();
    for (const { hostname } of targets) {
        if (seen.has(hostname))
            read.addProblem('hostname', `lists ${hostname} twice. Remove one of the lines.`);
        seen.add(hostname);
    }
    return targets;
}
function readTarget(read, line, defaultZone) {
    if (line.includes(',')) {
        read.addProblem('hostname', `${(0,quote/* quote */.h)(line)} contains a comma. Put each name on a line of its own.`);
        return [];
    }
    const [name = '', ownZone, ...rest] = line.split(/\s+/);
    const hostname = (0,records_hostname/* canonicalHostname */.G)(name);
    if (!hostname) {
        read.addProblem('hostname', `${(0,quote/* quote */.h)(name)} is not a fully qualified name. Write it like home.example.com, without https://, port or path.`);
    }
    if (rest.length > 0) {
        read.addProblem('hostname', `${(0,quote/* quote */.h)(line)} has more than a name and a zone ID. Put each name on a line of its own.`);
    }
    else if (ownZone !== undefined) {
        checkZoneId(read, `hostname ${(0,quote/* quote */.h)(name)}: its zone ID`, ownZone);
    }
    else if (defaultZone === '') {
        read.addProblem('zone-id', `is empty, and hostname ${(0,quote/* quote */.h)(name)} has no zone ID of its own. Set zone-id, or add a space and the zone ID after the name.`);
    }
    return hostname ? [{ hostname, zoneId: (ownZone ?? defaultZone).toLowerCase() }] : [];
}
function checkZoneId(read, what, id) {
    if (/^[0-9a-f]{32}$/i.test(id))
        return;
    const found = id.includes('.') ? ', which is a name' : '';
    read.addProblem(what, `is ${(0,quote/* quote */.h)(id)}${found}. Use the 32 hex digits shown as "Zone ID" on the overview page of the zone.`);
}

;// CONCATENATED MODULE: ./action/inputs/verify.ts




const maxServers = 20;
const dnsPort = 53;
const maxPort = 65_535;
function readVerify(read) {
    const by = (0,reader/* readChoice */.Kf)(read, 'verify', ['response', 'dns']);
    const lines = read.lines('name-servers');
    const addProblem = (message) => read.addProblem('name-servers', message);
    if (by === 'response') {
        if (lines.length > 0)
            addProblem('is only used with verify: dns. Set that, or remove name-servers.');
        return { by };
    }
    if (lines.length > maxServers) {
        addProblem(`lists ${lines.length} name servers. The limit is ${maxServers}.`);
        return { by, servers: [] };
    }
    const servers = new Map();
    for (const line of lines) {
        const server = parseServer(line);
        if (!server) {
            addProblem(`${(0,quote/* quote */.h)(line)} is not a name server. Write host or host:port, such as ns1.example.net or [2001:db8::1]:53.`);
        }
        else if (servers.has(`${server.host} ${server.port}`)) {
            addProblem(`lists ${(0,quote/* quote */.h)(line)} twice. Remove one of the lines.`);
        }
        else {
            servers.set(`${server.host} ${server.port}`, server);
        }
    }
    return { by, servers: [...servers.values()] };
}
function parseServer(text) {
    if ((0,external_node_net_.isIPv6)(text))
        return { name: text, host: text, port: dnsPort };
    const [, inBrackets, plain = '', digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
    const ipv6 = inBrackets !== undefined && (0,external_node_net_.isIPv6)(inBrackets) ? inBrackets : null;
    const host = ipv6 ?? ((0,external_node_net_.isIPv4)(plain) ? plain : (0,records_hostname/* canonicalHostname */.G)(plain));
    const port = Number(digits ?? dnsPort);
    if (!host || port < 1 || port > maxPort)
        return null;
    const shown = ipv6 ? `[${host}]` : host;
    return { name: port === dnsPort ? host : `${shown}:${port}`, host, port };
}

;// CONCATENATED MODULE: ./action/inputs/settings.ts










const timeoutLimits = { minMs: 1000, maxMs: 15 * 60 * 1000, range: '1s to 15m' };
function readSettings(given, env) {
    const problems = given.problems.map(reader/* redactTokenShapes */.dZ);
    const read = (0,reader/* createReader */.WF)(given, problems);
    const token = readToken(read, given.tokenHint);
    const targets = readTargets(read);
    const dryRun = (0,reader/* readBoolean */.Vf)(read, 'dry-run');
    const heartbeatUrl = readHeartbeat(read);
    const settings = {
        token,
        targets,
        addresses: readAddresses(read, targets),
        addressRules: readAddressRules(read),
        record: readRecordRules(read),
        dryRun,
        verify: readVerify(read),
        baseUrl: readBaseUrl(read),
        timeoutMs: (0,reader/* readDuration */.$7)(read, 'timeout', timeoutLimits),
        schedule: readSchedule(read, given.mayBeEndless),
        heartbeatUrl: dryRun ? null : heartbeatUrl,
        maskAddress: (0,masking/* readMaskAddress */.z)(read, env),
    };
    const allowHostedRunner = (0,reader/* readBoolean */.Vf)(read, 'allow-hosted-runner');
    checkProxies(read, env);
    checkProxiedEchoes(read, settings.addresses, settings.addressRules, env);
    checkExpectedTypes(read, settings.addressRules, settings.addresses);
    const hosted = env['RUNNER_ENVIRONMENT'] === 'github-hosted'
        ? hostedRunnerProblem(settings.addresses, allowHostedRunner)
        : null;
    if (problems.length > 0) {
        const message = [...problems, ...(hosted ? [hosted] : [])].join('\n');
        return { kind: 'refused', problem: { reason: 'invalid-input', message } };
    }
    if (hosted)
        return { kind: 'refused', problem: { reason: 'hosted-runner', message: hosted } };
    return { kind: 'settings', settings };
}
function hostedRunnerProblem(addresses, allowed) {
    const sources = addresses.flatMap(({ source }) => (source.kind === 'asked' ? source.sources : []));
    if (sources.some(({ kind }) => kind === 'interface'))
        return hostedInterfaceMessage;
    return !allowed && sources.some(({ kind }) => kind === 'echo') ? hostedRunnerMessage : null;
}
const hostedInterfaceMessage = 'This job runs on a GitHub-hosted runner, which has no public address of yours on any interface. Remove the interface: ' +
    'lines from address-sources, or use a self-hosted runner on the host that has the address.';
const hostedRunnerMessage = 'This job runs on a GitHub-hosted runner. Its public address belongs to GitHub and changes with every run, so echo ' +
    'services would put an address of GitHub into your DNS. Use a self-hosted runner on the network whose address you ' +
    'want published, or pass the address in the input address. If you do want the address of the runner, set ' +
    'allow-hosted-runner: true.';


/***/ }),

/***/ 307:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   QL: () => (/* binding */ inputs),
/* harmony export */   Ub: () => (/* binding */ defaultDohResolvers),
/* harmony export */   _y: () => (/* binding */ secretInputs),
/* harmony export */   ff: () => (/* binding */ defaultEchoUrls),
/* harmony export */   vj: () => (/* binding */ inputNames)
/* harmony export */ });
const inputs = {
    'api-token': '',
    'zone-id': '',
    hostname: '',
    address: '',
    'address-sources': '',
    quorum: '',
    'doh-resolvers': '',
    'expected-cidr': '',
    'allow-reserved-address': 'false',
    'allow-hosted-runner': 'false',
    'record-type': 'A',
    'ipv6-suffix': '',
    ttl: '120',
    proxied: 'false',
    'on-drift': 'warn',
    create: 'false',
    'dry-run': 'false',
    'base-url': 'https://api.cloudflare.com',
    verify: 'response',
    'name-servers': '',
    timeout: '60s',
    'watch-interval': '',
    'watch-for': '',
    'heartbeat-url': '',
    'mask-address': 'auto',
};
const secretInputs = ['api-token', 'heartbeat-url'];
const inputNames = Object.keys(inputs);
const defaultEchoUrls = {
    A: ['https://api4.ipify.org', 'https://checkip.amazonaws.com', 'https://ipv4.icanhazip.com'],
    AAAA: ['https://api6.ipify.org', 'https://checkipv6.dedyn.io', 'https://ipv6.icanhazip.com'],
};
const defaultDohResolvers = [
    'https://cloudflare-dns.com/dns-query',
    'https://dns.google/dns-query',
];


/***/ }),

/***/ 948:
/***/ ((module, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(module, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(24);
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__nccwpck_require__.n(node_fs__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(161);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1___default = /*#__PURE__*/__nccwpck_require__.n(node_os__WEBPACK_IMPORTED_MODULE_1__);
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(500);
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_2___default = /*#__PURE__*/__nccwpck_require__.n(node_timers_promises__WEBPACK_IMPORTED_MODULE_2__);
/* harmony import */ var _dns_client_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(493);
/* harmony import */ var _heartbeat_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(257);
/* harmony import */ var _http_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(333);
/* harmony import */ var _inputs_command_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(708);
/* harmony import */ var _inputs_help_js__WEBPACK_IMPORTED_MODULE_7__ = __nccwpck_require__(864);
/* harmony import */ var _inputs_masking_js__WEBPACK_IMPORTED_MODULE_8__ = __nccwpck_require__(371);
/* harmony import */ var _inputs_reader_js__WEBPACK_IMPORTED_MODULE_9__ = __nccwpck_require__(616);
/* harmony import */ var _inputs_settings_js__WEBPACK_IMPORTED_MODULE_10__ = __nccwpck_require__(459);
/* harmony import */ var _problem_js__WEBPACK_IMPORTED_MODULE_11__ = __nccwpck_require__(654);
/* harmony import */ var _report_report_js__WEBPACK_IMPORTED_MODULE_12__ = __nccwpck_require__(446);
/* harmony import */ var _report_runner_printer_js__WEBPACK_IMPORTED_MODULE_13__ = __nccwpck_require__(582);
/* harmony import */ var _report_terminal_printer_js__WEBPACK_IMPORTED_MODULE_17__ = __nccwpck_require__(535);
/* harmony import */ var _result_js__WEBPACK_IMPORTED_MODULE_14__ = __nccwpck_require__(416);
/* harmony import */ var _round_js__WEBPACK_IMPORTED_MODULE_15__ = __nccwpck_require__(783);
/* harmony import */ var _watch_js__WEBPACK_IMPORTED_MODULE_16__ = __nccwpck_require__(130);


















const lingerMs = 500;
const clock = {
    now: () => performance.now(),
    sleep: (ms, signal) => (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_2__.setTimeout)(ms, undefined, { signal }).catch(() => { }),
    random: Math.random,
};
let reported = false;
const { env } = process;
const printError = (message) => (0,_inputs_reader_js__WEBPACK_IMPORTED_MODULE_9__/* .isAction */ .ve)(env) ? (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeSync)(1, `::error title=Homeport::${message}\n`) : (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeSync)(2, `error: ${message}\n`);
process.once('exit', () => {
    if (reported)
        return;
    process.exitCode = 1;
    printError('Homeport ended without a result. It may have been writing. Run it again to check the records.');
});
const stop = new AbortController();
let isWatching = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
        if (!isWatching || stop.signal.aborted)
            process.exit(1);
        stop.abort();
    });
}
process.once('uncaughtException', error => {
    printError((0,_problem_js__WEBPACK_IMPORTED_MODULE_11__/* .unhandledError */ .U)(error).message);
    process.exit(1);
});
const command = (0,_inputs_reader_js__WEBPACK_IMPORTED_MODULE_9__/* .isAction */ .ve)(env) ? null : (0,_inputs_command_js__WEBPACK_IMPORTED_MODULE_6__/* .commandInputs */ .t)(process.argv.slice(2), env);
const given = command?.given ?? (0,_inputs_reader_js__WEBPACK_IMPORTED_MODULE_9__/* .actionInputs */ .eh)(env);
const printer = command
    ? (0,_report_terminal_printer_js__WEBPACK_IMPORTED_MODULE_17__/* .terminalPrinter */ .N)(command.options.json)
    : (0,_report_runner_printer_js__WEBPACK_IMPORTED_MODULE_13__/* .runnerPrinter */ .T)({ outputs: env['GITHUB_OUTPUT'], summary: env['GITHUB_STEP_SUMMARY'] });
if (command?.options.help || command?.options.version) {
    process.stdout.write(command.options.help ? (0,_inputs_help_js__WEBPACK_IMPORTED_MODULE_7__/* .helpText */ .B)() : `homeport ${_inputs_help_js__WEBPACK_IMPORTED_MODULE_7__/* .version */ .r}\n`);
}
else {
    await run();
}
reported = true;
setTimeout(() => process.stdout.write('', () => process.exit()), lingerMs).unref();
async function run() {
    const report = (0,_report_report_js__WEBPACK_IMPORTED_MODULE_12__/* .createReport */ .L)(printer);
    report.mask((0,_inputs_masking_js__WEBPACK_IMPORTED_MODULE_8__/* .givenSecrets */ .B)(given));
    try {
        const reading = (0,_inputs_settings_js__WEBPACK_IMPORTED_MODULE_10__/* .readSettings */ .s)(given, env);
        if (reading.kind === 'refused') {
            report.finish((0,_result_js__WEBPACK_IMPORTED_MODULE_14__/* .withoutRound */ .xw)(reading.problem));
        }
        else {
            const { settings } = reading;
            report.start(settings);
            const round = (through, at) => (0,_heartbeat_js__WEBPACK_IMPORTED_MODULE_4__/* .withHeartbeat */ .p)(settings.heartbeatUrl, () => (0,_watch_js__WEBPACK_IMPORTED_MODULE_16__/* .safely */ .vm)(() => (0,_round_js__WEBPACK_IMPORTED_MODULE_15__/* .runRound */ .m)(settings, through, at, {
                interfaces: node_os__WEBPACK_IMPORTED_MODULE_1__.networkInterfaces,
                dns: _dns_client_js__WEBPACK_IMPORTED_MODULE_3__/* .dnsClient */ .t,
                onProgress: report.progress,
            })), _http_js__WEBPACK_IMPORTED_MODULE_5__/* .exchange */ .cv, () => stop.signal.aborted);
            if (settings.schedule) {
                isWatching = true;
                report.finishWatch(await (0,_watch_js__WEBPACK_IMPORTED_MODULE_16__/* .watch */ .wB)(settings.schedule, round, _http_js__WEBPACK_IMPORTED_MODULE_5__/* .exchange */ .cv, clock, stop.signal, report.round));
            }
            else {
                report.finish(await round(_http_js__WEBPACK_IMPORTED_MODULE_5__/* .exchange */ .cv, clock));
            }
        }
    }
    catch (error) {
        report.finish((0,_result_js__WEBPACK_IMPORTED_MODULE_14__/* .withoutRound */ .xw)((0,_problem_js__WEBPACK_IMPORTED_MODULE_11__/* .unhandledError */ .U)(error)));
    }
}

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 654:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   U: () => (/* binding */ unhandledError)
/* harmony export */ });
/* unused harmony export reasons */
/* harmony import */ var _report_quote_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(456);

const reasons = (/* unused pure expression or super */ null && ([
    'invalid-input',
    'hosted-runner',
    'address-unavailable',
    'address-disagreement',
    'address-not-public',
    'address-unexpected',
    'token-rejected',
    'zone-not-found',
    'record-missing',
    'record-ambiguous',
    'record-conflict',
    'record-read-only',
    'write-rejected',
    'write-unconfirmed',
    'not-served',
    'rate-limited',
    'service-unavailable',
    'deadline',
    'unexpected',
]));
function unhandledError(error, consequence = 'It may have written records before') {
    const what = error instanceof Error ? (0,_report_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quote */ .h)(`${error.name}: ${error.message}`) : 'an unknown error';
    return {
        reason: 'unexpected',
        message: `Homeport stopped on ${what}. ${consequence}. Run it again to check the records, and report this.`,
    };
}


/***/ }),

/***/ 657:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   YN: () => (/* binding */ credentialsOf),
/* harmony export */   YR: () => (/* binding */ parseProxy),
/* harmony export */   iJ: () => (/* binding */ proxyFor)
/* harmony export */ });
function proxyFor(url, variables) {
    const proxy = variables.https_proxy || variables.HTTPS_PROXY;
    const exceptions = variables.no_proxy || variables.NO_PROXY || '';
    if (!proxy || url.protocol !== 'https:' || isException(url, exceptions))
        return null;
    return parseProxy(proxy);
}
function parseProxy(text) {
    const whole = text.includes('://') ? text : `http://${text}`;
    const url = URL.canParse(whole) ? new URL(whole) : null;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
        return null;
    return credentialsOf(url) === null ? null : url;
}
function credentialsOf({ username, password }) {
    if (username === '' && password === '')
        return '';
    try {
        return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    }
    catch {
        return null;
    }
}
function isException({ hostname, port }, exceptions) {
    const host = hostname.toLowerCase();
    if (host === 'localhost' || host.startsWith('127.') || host === '[::1]')
        return true;
    return exceptions
        .toLowerCase()
        .split(',')
        .map(exception => exception.trim())
        .filter(exception => exception !== '')
        .some(exception => {
        const matches = (name) => exception.startsWith('.') ? name.endsWith(exception) : `.${name}`.endsWith(`.${exception}`);
        return exception === '*' || matches(host) || matches(`${host}:${port || 443}`);
    });
}


/***/ }),

/***/ 164:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  G: () => (/* binding */ canonicalHostname)
});

// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __nccwpck_require__(30);
;// CONCATENATED MODULE: external "node:url"
const external_node_url_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");
;// CONCATENATED MODULE: ./action/records/hostname.ts


const maxNameCharacters = 253;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
function canonicalHostname(text) {
    if (/[^\p{L}\p{M}\p{N}._*-]/u.test(text))
        return null;
    const wildcard = text.startsWith('*.');
    const host = (wildcard ? text.slice(2) : text).replace(/\.$/, '');
    const ascii = (0,external_node_url_namespaceObject.domainToASCII)(host);
    if (ascii === '' || (0,external_node_net_.isIPv4)(ascii))
        return null;
    const name = wildcard ? `*.${ascii}` : ascii;
    const labels = ascii.split('.');
    if (labels.length < 2 || name.length > maxNameCharacters)
        return null;
    if (!labels.every(part => label.test(part)) || /^\d+$/.test(labels.at(-1) ?? ''))
        return null;
    return name;
}


/***/ }),

/***/ 456:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   h: () => (/* binding */ quote)
/* harmony export */ });
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(30);
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__nccwpck_require__.n(node_net__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var _redact_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(595);


const maxQuotedCharacters = 160;
function quote(remote) {
    const redacted = (0,_redact_js__WEBPACK_IMPORTED_MODULE_1__/* .redact */ .E$)(remote);
    const shown = redacted.slice(0, maxQuotedCharacters);
    const escaped = JSON.stringify(shown)
        .replace(/[^\x20-\x7e]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .replaceAll('#[', '\\u0023[')
        .replace(/[^\s"',()]*::[^\s"',()]*/g, word => isAddress(word) ? word : word.replaceAll('::', ':\\u003a'));
    return shown.length < redacted.length ? `${escaped} (truncated, ${redacted.length} characters)` : escaped;
}
function isAddress(word) {
    return /^[0-9a-f:.]+(\/\d{1,3})?$/i.test(word) && (0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIPv6)(word.replace(/\/.*/, '')) && word !== '::';
}


/***/ }),

/***/ 595:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   E$: () => (/* binding */ redact),
/* harmony export */   QU: () => (/* binding */ maskSecrets),
/* harmony export */   Wx: () => (/* binding */ addressesToMask),
/* harmony export */   b6: () => (/* binding */ maskAddresses),
/* harmony export */   fp: () => (/* binding */ redactSecrets)
/* harmony export */ });
const state = {
    pieces: new Map(),
    addresses: false,
};
const mask = '***';
const pieceCharacters = 8;
function maskSecrets(secrets) {
    const words = secrets
        .flatMap(secret => secret.split(/\s+/))
        .filter(word => word !== '' && !/^bearer$/i.test(word));
    const forms = [...new Set(words.flatMap(formsOf))];
    const pieces = new Map();
    for (const form of new Set(forms.map(form => fold(form).text))) {
        const length = Math.min(form.length, pieceCharacters);
        const ofLength = pieces.get(length) ?? new Set();
        for (let start = 0; start + length <= form.length; start++)
            ofLength.add(form.slice(start, start + length));
        if (length > 0)
            pieces.set(length, ofLength);
    }
    state.pieces = pieces;
    return forms;
}
function maskAddresses(masked) {
    state.addresses = masked;
}
function redact(text) {
    const withoutSecrets = redactSecrets(text);
    if (!state.addresses)
        return withoutSecrets;
    return withoutSecrets
        .replace(ipv6Run, run => (isIpv6(run) && !isHarmless(run) ? mask : run))
        .replace(dottedQuad, quad => (isHarmless(quad) ? quad : mask));
}
function redactSecrets(text) {
    if (state.pieces.size === 0)
        return text;
    const folded = fold(text);
    let redacted = '';
    let done = 0;
    for (const [from, to] of findPieces(folded.text)) {
        let start = folded.places[from] ?? 0;
        let end = (folded.places[to - 1] ?? 0) + 1;
        while (text[start - 1] === '\\')
            start--;
        while (text[end] === '\\')
            end++;
        if (start >= done)
            redacted += text.slice(done, start) + mask;
        done = Math.max(done, end);
    }
    return redacted + text.slice(done);
}
function* findPieces(text) {
    let from = -1;
    let to = -1;
    for (let start = 0; start < text.length; start++) {
        for (const [length, pieces] of state.pieces) {
            if (!pieces.has(text.slice(start, start + length)))
                continue;
            if (start > to) {
                if (from >= 0)
                    yield [from, to];
                from = start;
            }
            to = Math.max(to, start + length);
        }
    }
    if (from >= 0)
        yield [from, to];
}
function addressesToMask(text) {
    if (!state.addresses)
        return [];
    const ipv6 = (text.match(ipv6Run) ?? []).filter(isIpv6);
    const quads = text.match(dottedQuad) ?? [];
    return [...new Set([...ipv6, ...quads])].filter(address => !isHarmless(address));
}
function formsOf(word) {
    const percent = encodeURIComponent(word);
    const strict = percent.replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
    const json = JSON.stringify(word).slice(1, -1);
    const base64 = [base64Of(word), base64Of(`Bearer ${word}`), ...innerBase64(word)];
    const base64url = base64.map(form => form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''));
    return [word, percent, strict, json, json.replaceAll('/', '\\/'), ...base64, ...base64url];
}
function base64Of(text) {
    return Buffer.from(text).toString('base64');
}
function innerBase64(word) {
    const bytes = Buffer.byteLength(word);
    return [0, 1, 2]
        .map(offset => base64Of(' '.repeat(offset) + word).slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes) * 8) / 6)))
        .filter(form => form.length >= pieceCharacters);
}
function fold(text) {
    const lower = text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
    const places = [];
    for (let place = 0; place < lower.length; place++)
        if (lower[place] !== '\\')
            places.push(place);
    return { text: lower.replaceAll('\\', ''), places };
}
const dottedQuad = /\d{1,3}(?:\.\d{1,3}){3,}\d*/g;
const ipv6Run = /[0-9a-f:]+(?:\.\d+)*/gi;
const harmless = /^(?:127(?:\.\d{1,3}){3}|192\.0\.2\.\d{1,3}|198\.51\.100\.\d{1,3}|203\.0\.113\.\d{1,3}|::1|2001:0?db8:[\da-f:]*|3fff:0?[\da-f]{1,3}:[\da-f:]*|3fff::[\da-f:]*)$/i;
function isHarmless(address) {
    return harmless.test(address);
}
function isIpv6(run) {
    return /::|(?::[^:]*){7}/.test(run) && /[0-9a-f]/i.test(run);
}


/***/ }),

/***/ 446:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  L: () => (/* binding */ createReport)
});

// EXTERNAL MODULE: ./action/address/quorum.ts
var quorum = __nccwpck_require__(545);
// EXTERNAL MODULE: ./action/result.ts
var action_result = __nccwpck_require__(416);
;// CONCATENATED MODULE: ./action/report/catalogue.ts
const catalogue = {
    'invalid-input': {
        meaning: 'one or more inputs are wrong; nothing was sent',
        cure: 'fix each input that the message names',
    },
    'hosted-runner': {
        meaning: "an echo would see GitHub's address",
        cure: 'use a self-hosted runner, or set `address`',
    },
    'address-unavailable': {
        meaning: 'too few sources returned an address',
        cure: "check the host's connection; choose other sources",
    },
    'address-disagreement': {
        meaning: 'the sources see different addresses',
        cure: 'look for a VPN or a second uplink; remove a source that is wrong',
    },
    'address-not-public': {
        meaning: 'the address is private, carrier-grade NAT, documentation, …',
        cure: 'ask your provider for a public address; for an internal name, set `allow-reserved-address`',
    },
    'address-unexpected': {
        meaning: "outside `expected-cidr`, or in a range of Cloudflare's proxy. Other Cloudflare addresses, such as WARP exits, are caught only by `expected-cidr`",
        cure: "add your provider's new range; look for a proxy or VPN between the host and the internet",
    },
    'token-rejected': {
        meaning: 'the token is wrong, expired or revoked, or the zone is outside its scope',
        cure: 'create a new token for this zone, and replace the secret',
    },
    'zone-not-found': {
        meaning: 'the service does not know the zone',
        cure: 'copy the zone ID from its overview page',
    },
    'record-missing': {
        meaning: 'the name has no record of the type, or it was deleted meanwhile',
        cure: 'create it once, or set `create`',
    },
    'record-ambiguous': {
        meaning: 'the name has several records of the type',
        cure: 'leave exactly one; round robin is not for this action',
    },
    'record-conflict': {
        meaning: 'the name has a CNAME',
        cure: 'delete the CNAME, or use another name',
    },
    'record-read-only': {
        meaning: 'another product of the service manages the record',
        cure: 'use another name',
    },
    'write-rejected': {
        meaning: 'the service refused the write, and no earlier attempt in this run can have succeeded',
        cure: 'read its code and message in the log',
    },
    'write-unconfirmed': {
        meaning: 'a write was sent, but the record could not be confirmed afterwards',
        cure: 'nothing: the next run checks again, or start one now. If the message names another record at the name, fix that first',
    },
    'not-served': {
        meaning: 'with `verify: dns`, a name server does not serve the record that the service confirmed, or none could be found',
        cure: 'nothing if it only lags: the next run checks again. Otherwise check that the domain is delegated to the name servers that the zone names, or set `name-servers`',
    },
    'rate-limited': {
        meaning: "the account's rate limit was reached",
        cure: 'run less often; find out what else uses the API',
    },
    'service-unavailable': {
        meaning: 'the records could not be read: three attempts without a usable response, a response that is too long, or a wait that does not fit into `timeout`',
        cure: 'nothing: the next run tries again',
    },
    deadline: {
        meaning: '`timeout` ran out; nothing was written',
        cure: 'raise `timeout` if this happens again',
    },
    unexpected: {
        meaning: 'a malformed or incomplete response, or a Homeport bug',
        cure: 'check `base-url`; report it',
    },
};
function explain(reason) {
    const { meaning, cure } = catalogue[reason];
    return `${reason}: ${meaning}. What to do: ${cure}.`.replaceAll('`', '');
}

// EXTERNAL MODULE: ./action/report/redact.ts
var redact = __nccwpck_require__(595);
;// CONCATENATED MODULE: ./action/report/outputs.ts


function outputsOf(round) {
    const [first] = round.records;
    const addresses = round.records.filter(({ hostname, address }) => hostname === first?.hostname && address);
    return {
        result: (0,action_result/* overall */.Me)(round),
        changed: String(round.records.some(record => record.written)),
        address: addresses.map(({ address }) => address).join('\n'),
        'previous-address': first?.previousAddress ?? '',
        'record-id': first?.recordId ?? '',
        drift: JSON.stringify(first?.drift ?? []),
        requests: String(round.requests),
        reason: (0,action_result/* firstProblem */.AX)(round)?.reason ?? '',
        records: JSON.stringify(round.records.map(outputOf)),
    };
}
function watchOutputsOf({ anyWritten, requests }) {
    return { changed: String(anyWritten), requests: String(requests) };
}
function outputOf(record) {
    return {
        hostname: record.hostname,
        type: record.type,
        'zone-id': record.zoneId,
        result: record.result,
        changed: record.written,
        address: record.address,
        'previous-address': record.previousAddress,
        'record-id': record.recordId,
        drift: record.drift,
        ...(record.servedBy && { 'served-by': record.servedBy }),
        reason: record.problem?.reason ?? null,
        message: record.problem ? (0,redact/* redactSecrets */.fp)(record.problem.message) : null,
    };
}

;// CONCATENATED MODULE: ./action/report/sentences.ts
const maxNamesListed = 20;
const minProgressStep = 10;
function describeRecord(record) {
    const { hostname, type, previousAddress, address, problem } = record;
    const before = previousAddress ?? 'no record';
    const sentences = {
        unchanged: `${address}, already correct, nothing written`,
        updated: `${before} -> ${address}, updated`,
        created: `${before} -> ${address}, created`,
        'would-update': `${before}, would be updated to ${address} (dry run, nothing written)`,
        'would-create': `${before}, would be created with ${address} (dry run, nothing written)`,
        failed: `failed (${problem?.reason})${address ? `, wanted ${address}` : ''}`,
    };
    return `${hostname} ${type}: ${sentences[record.result]}`;
}
function listNames(names) {
    const beyond = names.length - maxNamesListed;
    const listed = names.slice(0, maxNamesListed).join(', ');
    return beyond > 0 ? `${listed} and ${beyond} more` : listed;
}
function describeProgress({ done, total }) {
    const step = Math.max(minProgressStep, Math.ceil(total / 10));
    return done < total && done % step === 0 ? `  Processed ${done} of ${total} changes.` : null;
}
function describePartial({ records }) {
    const failed = records.filter(({ result }) => result === 'failed');
    const correct = records.filter(({ result }) => result !== 'failed' && !result.startsWith('would-'));
    if (failed.length === 0 || correct.length === 0)
        return null;
    const names = listNames(failed.map(({ hostname, type }) => `${hostname} (${type})`));
    return `${correct.length} of ${records.length} records are correct. Not correct: ${names}.`;
}
function describeServed({ records }) {
    const servers = [...new Set(records.flatMap(({ servedBy }) => servedBy ?? []))].toSorted();
    return servers.length > 0 ? `Served by ${listNames(servers)}.` : null;
}
function describeEffort({ requests, elapsedMs }) {
    return `${requests} ${requests === 1 ? 'request' : 'requests'} in ${(elapsedMs / 1000).toFixed(2)} s.`;
}
function describeWatch({ rounds, failed, maxLateMs, requests }) {
    return (`${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${failed} failed, ${requests} requests. The latest round started ` +
        `${(maxLateMs / 1000).toFixed(1)} s after its time.`);
}
function warningsOf(round) {
    return [...round.warnings, ...round.records.flatMap(record => [...driftNotes(record), ...record.notes])];
}
function problemsOf(round) {
    const problems = [round.problem, ...round.records.map(record => record.problem)];
    return new Map(problems.flatMap(problem => (problem ? [[problem.message, problem.reason]] : [])));
}
function driftNotes({ hostname, type, result, drift }) {
    const effects = {
        unchanged: 'It was not changed. To change it, set on-drift: repair.',
        updated: 'This run changed it.',
        created: '',
        'would-update': 'The update would change it.',
        'would-create': '',
        failed: 'The update that failed would have changed it.',
    };
    return drift.map(({ field, found, wanted }) => `The ${field} of ${hostname} (${type}) was ${found} instead of ${wanted}. ${effects[result]}`);
}

;// CONCATENATED MODULE: ./action/report/summary.ts





function summaryOf(round, watched) {
    const result = (0,action_result/* overall */.Me)(round);
    const title = round.records.length === 1 ? `${round.records[0]?.hostname}: ${result}` : result;
    const records = round.records.map(record => [
        record.hostname,
        record.type,
        record.previousAddress ?? '–',
        addressAfter(record),
        record.problem ? `failed: ${record.problem.reason}` : record.result,
    ]);
    const votes = round.votes.map(vote => [vote.source, vote.type, (0,quorum/* describeVote */.I7)(vote)]);
    const next = nextSteps(round);
    return [
        `### ${escapeMarkdown(`Homeport, ${title}`)}`,
        table(['Hostname', 'Type', 'Before', 'After', 'Result'], records),
        table(['Address source', 'Type', 'Vote'], votes),
        escapeMarkdown(describeServed(round) ?? ''),
        escapeMarkdown(describePartial(round) ?? ''),
        describeEffort(round),
        watched ? `${describeWatch(watched)} The rest of this summary is about the last round.` : '',
        next.length === 0 ? 'Nothing to do.' : '**What to do**',
        next
            .flatMap(text => text.split('\n'))
            .map(text => `- ${escapeMarkdown(text)}`)
            .join('\n'),
    ]
        .filter(part => part !== '')
        .join('\n\n')
        .concat('\n\n');
}
function nextSteps(round) {
    const planned = round.records.filter(({ result }) => result === 'would-update' || result === 'would-create');
    const names = listNames(planned.map(({ hostname }) => hostname));
    const dryRun = planned.length === 0 ? [] : [`This was a dry run. To write ${names}, run without dry-run.`];
    const problems = problemsOf(round);
    const explanations = [...new Set(problems.values())].map(explain);
    return [...problems.keys(), ...explanations, ...dryRun, ...warningsOf(round)];
}
function addressAfter(record) {
    const { problem, address, previousAddress } = record;
    if (problem?.reason === 'write-unconfirmed')
        return 'unknown';
    if (problem?.reason === 'record-missing')
        return '–';
    return (record.written ? address : previousAddress) ?? '–';
}
function table(head, rows) {
    if (rows.length === 0)
        return '';
    const line = (cells) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
    return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
function escapeMarkdown(text) {
    return (0,redact/* redact */.E$)(text)
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replace(/[\\`*_[\]|~#]/g, character => `\\${character}`);
}

;// CONCATENATED MODULE: ./action/report/report.ts







function createReport(printer) {
    const masked = new Set();
    function safe(text) {
        for (const address of (0,redact/* addressesToMask */.Wx)(text)) {
            if (masked.has(address))
                continue;
            masked.add(address);
            printer.secret(address);
        }
        return (0,redact/* redact */.E$)(text);
    }
    const log = (text) => printer.line(safe(text));
    const warn = (text) => printer.warning(safe(text));
    function describe(round) {
        for (const vote of round.votes)
            log(`  ${vote.type} from ${vote.source}: ${(0,quorum/* describeVote */.I7)(vote)}`);
        for (const record of round.records)
            log(describeRecord(record));
        for (const line of [describeServed(round), describePartial(round)])
            if (line)
                log(line);
        log(describeEffort(round));
    }
    function annotate(round) {
        for (const text of warningsOf(round))
            warn(text);
        for (const [message, reason] of problemsOf(round)) {
            printer.error(safe(`${message}\n${explain(reason)}`), reason);
        }
    }
    function publish(round, watched) {
        const result = (0,action_result/* overall */.Me)(round);
        const outputs = { ...outputsOf(round), ...(watched ? watchOutputsOf(watched) : {}) };
        const published = printer.publish(outputs, () => summaryOf(round, watched), result);
        process.exitCode = result === 'failed' || !published ? 1 : 0;
    }
    return {
        mask(secrets) {
            for (const form of (0,redact/* maskSecrets */.QU)(secrets))
                printer.secret(form);
        },
        start({ targets, addresses, maskAddress }) {
            (0,redact/* maskAddresses */.b6)(maskAddress);
            const names = listNames(targets.map(target => target.hostname));
            for (const { type, source } of addresses) {
                log(source.kind === 'given'
                    ? `Checking ${names} (${type}) against the given address ${source.address}.`
                    : `Checking ${names} (${type}) against the detected address. Quorum: ${source.quorum} of ` +
                        `${source.sources.length} sources.`);
            }
        },
        progress(progress) {
            const line = describeProgress(progress);
            if (line)
                log(line);
        },
        finish(round) {
            describe(round);
            annotate(round);
            publish(round, null);
        },
        round(round) {
            describe(round);
            if (printer.publishesRounds) {
                annotate(round);
                publish(round, null);
            }
            else {
                for (const [message, reason] of problemsOf(round))
                    log(`Failed (${reason}): ${message}`);
            }
        },
        finishWatch(watched) {
            log(describeWatch(watched));
            if (!printer.publishesRounds || watched.rounds === 0) {
                annotate(watched.last);
                publish(watched.last, watched);
            }
        },
    };
}


/***/ }),

/***/ 582:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  T: () => (/* binding */ runnerPrinter)
});

;// CONCATENATED MODULE: external "node:crypto"
const external_node_crypto_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __nccwpck_require__(24);
;// CONCATENATED MODULE: ./action/report/runner-printer.ts


const title = 'Homeport';
function runnerPrinter(files) {
    const warning = (text) => annotate('warning', title, text);
    const error = (text, reason) => annotate('error', reason ? `${title}: ${reason}` : title, text);
    return {
        publishesRounds: false,
        secret: text => print(`::add-mask::${escapeData(text)}`),
        line: print,
        warning,
        error,
        publish(outputs, summary, result) {
            const lostOutputs = failureOf(() => setOutputs(files.outputs, outputs));
            if (lostOutputs) {
                error(`Failed to write the outputs (${lostOutputs}), so later steps do not get them. The result is ${result}; the log ` +
                    'shows each record. Check the disk of the runner.');
            }
            const { summary: file } = files;
            const lostSummary = file && failureOf(() => (0,external_node_fs_.appendFileSync)(file, summary()));
            if (lostSummary) {
                warning(`Failed to write the job summary (${lostSummary}). The result is not affected.`);
            }
            return lostOutputs === null;
        },
    };
}
function print(line) {
    process.stdout.write(`${line}\n`);
}
function annotate(level, heading, text) {
    const escapedHeading = escapeData(heading).replaceAll(':', '%3A').replaceAll(',', '%2C');
    print(`::${level} title=${escapedHeading}::${escapeData(text)}`);
}
function escapeData(text) {
    return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
function setOutputs(file, outputs) {
    if (!file)
        return;
    if (!(0,external_node_fs_.existsSync)(file))
        throw Object.assign(new Error('The file is missing.'), { code: 'ENOENT' });
    const delimiter = `homeport_${(0,external_node_crypto_namespaceObject.randomUUID)()}`;
    const entries = Object.entries(outputs);
    (0,external_node_fs_.appendFileSync)(file, entries.map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`).join(''));
}
function failureOf(write) {
    try {
        write();
        return null;
    }
    catch (error) {
        return String(error.code ?? 'unknown error');
    }
}


/***/ }),

/***/ 535:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   N: () => (/* binding */ terminalPrinter)
/* harmony export */ });
function terminalPrinter(json) {
    const lines = json ? process.stderr : process.stdout;
    function print(text) {
        const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
        for (const line of text.split('\n'))
            lines.write(`${time} ${line}\n`);
    }
    return {
        publishesRounds: true,
        secret: () => { },
        line: print,
        warning: text => print(`warning: ${text}`),
        error: text => print(`error: ${text}`),
        publish(outputs) {
            if (json)
                process.stdout.write(`${JSON.stringify(roundObject(outputs))}\n`);
            return true;
        },
    };
}
function roundObject(outputs) {
    return {
        time: new Date().toISOString(),
        ...outputs,
        changed: outputs['changed'] === 'true',
        drift: JSON.parse(outputs['drift'] ?? '[]'),
        requests: Number(outputs['requests']),
        records: JSON.parse(outputs['records'] ?? '[]'),
    };
}


/***/ }),

/***/ 416:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   AX: () => (/* binding */ firstProblem),
/* harmony export */   Me: () => (/* binding */ overall),
/* harmony export */   xw: () => (/* binding */ withoutRound)
/* harmony export */ });
const severity = {
    unchanged: 0,
    'would-create': 1,
    'would-update': 1,
    created: 2,
    updated: 2,
    failed: 3,
};
function withoutRound(problem) {
    return { records: [], votes: [], warnings: [], problem, requests: 0, elapsedMs: 0 };
}
function overall(round) {
    if (round.problem)
        return 'failed';
    const worst = round.records.reduce((worst, record) => (worst && severity[worst.result] >= severity[record.result] ? worst : record), null);
    return worst?.result ?? 'failed';
}
function firstProblem(round) {
    return round.problem ?? round.records.find(record => record.problem)?.problem ?? null;
}


/***/ }),

/***/ 783:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  m: () => (/* binding */ runRound)
});

// EXTERNAL MODULE: ./action/address/family.ts + 1 modules
var address_family = __nccwpck_require__(461);
;// CONCATENATED MODULE: ./action/address/check.ts

function checkAddress(address, rules) {
    const { specialPurposeOf, cloudflareRangeOf } = address_family/* families */.TJ[(0,address_family/* typeOf */.QP)(address)];
    const special = specialPurposeOf(address);
    if (special && !rules.allowReserved) {
        return {
            reason: 'address-not-public',
            message: `${address} is not a public address: ${special}. It cannot be reached from the internet. If the record is for ` +
                'an internal network, set allow-reserved-address: true.',
        };
    }
    const cloudflare = cloudflareRangeOf(address);
    if (cloudflare) {
        return {
            reason: 'address-unexpected',
            message: `${address} is in ${cloudflare}, a range of Cloudflare's proxy, so it does not belong to this host. Look for a ` +
                'proxy or VPN between the host and the address sources, or pass the address in the input address.',
        };
    }
    if (rules.expectedCidrs.length > 0 && !rules.expectedCidrs.some(range => range.contains(address))) {
        const ranges = rules.expectedCidrs.map(range => range.text).join(', ');
        return {
            reason: 'address-unexpected',
            message: `${address} is outside expected-cidr (${ranges}). If your provider moved you to another range, add it. If not, ` +
                'this run went out through another network.',
        };
    }
    return null;
}

// EXTERNAL MODULE: ./action/report/quote.ts
var quote = __nccwpck_require__(456);
;// CONCATENATED MODULE: ./action/address/echo.ts


const maxTextBytes = 64;
const maxTraceBytes = 2048;
async function askEcho({ name: source, url, form }, type, send) {
    const { version, parse } = address_family/* families */.TJ[type];
    const answer = await send({
        method: 'GET',
        url,
        headers: { Accept: 'text/plain' },
        family: version,
        maxBytes: form === 'trace' ? maxTraceBytes : maxTextBytes,
    });
    const refuse = (problem) => ({ source, problem });
    if (answer.kind === 'failure')
        return refuse(answer.detail);
    if (answer.status !== 200)
        return refuse(`answered ${answer.status} instead of 200`);
    if (answer.contentType.includes('html'))
        return refuse('answered with a web page instead of an address');
    const text = form === 'trace' ? readTrace(answer.body) : answer.body;
    if (typeof text !== 'string')
        return refuse(text.problem);
    const address = parse(text);
    return address
        ? { source, address }
        : refuse(`answered ${(0,quote/* quote */.h)(text)}, which is not one IPv${version} address`);
}
function readTrace(body) {
    const valuesOf = (key) => body.split('\n').flatMap(line => (line.startsWith(`${key}=`) ? line.slice(key.length + 1) : []));
    const [ip, ...otherIps] = valuesOf('ip');
    if (ip === undefined || otherIps.length > 0) {
        return { problem: `answered ${(0,quote/* quote */.h)(body)}, which is not a trace with one ip= line` };
    }
    const warp = valuesOf('warp');
    if (warp.join() !== 'off') {
        return { problem: `says warp=${(0,quote/* quote */.h)(warp.join())} instead of off, so it saw an exit of WARP` };
    }
    return ip;
}

;// CONCATENATED MODULE: ./action/address/interface.ts


function askInterface({ name: source, device }, type, interfaces, allowReserved, keyOf) {
    const family = address_family/* families */.TJ[type];
    const addresses = interfaces[device];
    if (!addresses) {
        const names = Object.keys(interfaces).map(quote/* quote */.h).join(', ');
        return { source, problem: `this host has no such interface, only ${names || 'none that is up'}` };
    }
    const own = addresses
        .filter(({ internal, scopeid }) => !internal && !scopeid)
        .flatMap(({ address }) => family.parse(address) ?? []);
    const usable = own.filter(address => allowReserved || family.specialPurposeOf(address) === null);
    const candidates = [...new Map(usable.map(address => [keyOf(address), address])).values()];
    const [address] = candidates;
    if (address === undefined) {
        const found = own.map(address => `${address}: ${family.specialPurposeOf(address)}`).join('; ');
        return {
            source,
            problem: `has no public IPv${family.version} address${found === '' ? '' : ` (${found})`}`,
        };
    }
    if (candidates.length === 1)
        return { source, address };
    return {
        source,
        problem: `has ${candidates.length} addresses that could be meant (${candidates.join(', ')})`,
        candidates,
    };
}

// EXTERNAL MODULE: ./action/address/ipv6.ts
var ipv6 = __nccwpck_require__(945);
// EXTERNAL MODULE: ./action/address/quorum.ts
var address_quorum = __nccwpck_require__(545);
// EXTERNAL MODULE: ./action/address/resolver.ts
var resolver = __nccwpck_require__(602);
// EXTERNAL MODULE: ./action/address/suffix.ts
var address_suffix = __nccwpck_require__(205);
;// CONCATENATED MODULE: ./action/address/detect.ts







const dissentGraceMs = 500;
async function detectAddress({ type, source, suffixes }, rules, context) {
    const prefixLength = Math.max(0, ...[...suffixes.values()].map(suffix => suffix.prefixLength));
    const keyOf = (address) => (prefixLength > 0 ? (0,ipv6/* ipv6Network */.Ai)(address, prefixLength) : address);
    const detectedRules = prefixLength > 0 ? { ...rules, expectedCidrs: [] } : rules;
    const take = (votes, address, warnings) => {
        const problem = checkAddress(address, detectedRules);
        return problem
            ? { type, votes, kind: 'none', problem }
            : { type, votes, kind: 'address', address, suffixes, warnings };
    };
    if (source.kind === 'given')
        return take([], keyOf(source.address), []);
    const { sources, quorum } = source;
    const endMs = context.clock.now() + context.deadline.callMs;
    const votes = await collectVotes(sources, quorum, async (voter, signal) => {
        const send = sendOnceMore(context, endMs, signal);
        const vote = await askSource(voter, type, send, context.interfaces, rules.allowReserved, keyOf);
        return prefixLength > 0 ? prefixVote(vote, keyOf, prefixLength) : vote;
    }, context.clock, dissentGraceMs);
    const verdict = (0,address_quorum/* countVotes */.B0)(votes, quorum);
    if (verdict.kind !== 'agreed') {
        return { type, votes, kind: 'none', problem: (0,address_quorum/* explainVerdict */.bX)(verdict, votes, quorum) };
    }
    const dissent = votes.filter(vote => 'address' in vote && vote.address !== verdict.address);
    return take(votes, verdict.address, dissent.length === 0 ? [] : [dissentWarning(verdict.address, dissent)]);
}
function addressFor(hostname, { address, suffixes }, rules) {
    const suffix = suffixes.get(hostname);
    if (!suffix)
        return { address };
    const composed = (0,address_suffix/* withSuffix */.o)(address, suffix);
    const problem = checkAddress(composed, rules);
    return problem ? { problem } : { address: composed };
}
function askSource(source, type, send, interfaces, allowReserved, keyOf) {
    switch (source.kind) {
        case 'echo':
            return askEcho(source, type, send);
        case 'dns':
            return (0,resolver/* askDns */.$)(source, type, send, keyOf);
        case 'interface':
            return askInterface(source, type, interfaces(), allowReserved, keyOf);
    }
}
function prefixVote(vote, keyOf, prefixLength) {
    if ('problem' in vote)
        return vote;
    const { source, address, note } = vote;
    const prefix = `the /${prefixLength} of ${address}`;
    return { source, address: keyOf(address), note: note === undefined ? prefix : `${prefix}; ${note}` };
}
function sendOnceMore({ exchange, clock }, endMs, signal) {
    return async (request) => {
        const attempt = () => exchange({ ...request, timeoutMs: Math.max(1, endMs - clock.now()), signal });
        const answer = await attempt();
        const reset = answer.kind === 'failure' && (answer.cause === 'reset' || answer.cause === 'cut');
        return reset ? attempt() : answer;
    };
}
async function collectVotes(sources, quorum, ask, clock, graceMs) {
    const votes = new Map();
    const stop = new AbortController();
    const done = new AbortController();
    let decided = false;
    await Promise.all(sources.map(async (source) => {
        votes.set(source, await ask(source, stop.signal));
        const missing = sources.length - votes.size;
        if (decided || missing === 0 || !(0,address_quorum/* isDecided */.d$)([...votes.values()], missing, quorum))
            return;
        decided = true;
        void clock.sleep(graceMs, done.signal).then(() => stop.abort());
    }));
    done.abort();
    return sources.flatMap(source => votes.get(source) ?? []);
}
function dissentWarning(address, dissent) {
    return (`The quorum agreed on ${address}, but other sources returned another address (${(0,address_quorum/* nameVotes */.LA)(dissent)}). If this ` +
        'persists, look for a second uplink or a faulty source.');
}

;// CONCATENATED MODULE: ./action/concurrency.ts
async function mapConcurrently(items, limit, map) {
    const [first, ...rest] = items;
    if (first === undefined)
        return [];
    const results = [await map(first)];
    const queue = rest.entries();
    const work = async () => {
        for (const [index, item] of queue)
            results[index + 1] = await map(item);
    };
    await Promise.all(Array.from({ length: Math.min(limit, rest.length) }, work));
    return results;
}

;// CONCATENATED MODULE: ./action/deadline.ts
const maxCallMs = 10_000;
const callsInRound = 5;
function startDeadline(totalMs, clock) {
    const end = clock.now() + totalMs;
    return {
        callMs: Math.min(maxCallMs, totalMs / callsInRound),
        remainingMs: () => Math.max(0, end - clock.now()),
    };
}

// EXTERNAL MODULE: ./action/problem.ts
var action_problem = __nccwpck_require__(654);
;// CONCATENATED MODULE: ./action/reconcile.ts
function findRecord(listed, hostname, type) {
    const atName = listed.filter(record => record.name === hostname);
    const records = atName.filter(record => record.type === type);
    if (atName.some(other => other.type === 'CNAME'))
        return { kind: 'cname' };
    const [record, ...others] = records;
    if (!record)
        return { kind: 'none', types: [...new Set(atName.map(other => other.type))] };
    return others.length > 0 ? { kind: 'several', records } : { kind: 'one', record };
}
function reconcile(listed, wanted) {
    const finding = findRecord(listed, wanted.hostname, wanted.type);
    switch (finding.kind) {
        case 'cname':
            return { kind: 'refuse', refusal: { reason: 'record-conflict' } };
        case 'several':
            return { kind: 'refuse', refusal: { reason: 'record-ambiguous', records: finding.records } };
        case 'none':
            if (wanted.create)
                return { kind: 'create', body: bodyOf(wanted) };
            return { kind: 'refuse', refusal: { reason: 'record-missing', types: finding.types } };
        case 'one':
            return planFor(finding.record, wanted);
    }
}
function planFor(record, wanted) {
    const drift = driftOf(record, wanted);
    const right = record.content === wanted.address;
    if (right && (drift.length === 0 || wanted.onDrift === 'warn'))
        return { kind: 'unchanged', record, drift };
    if (record.readOnly)
        return { kind: 'refuse', refusal: { reason: 'record-read-only' } };
    return { kind: 'update', record, body: { ...bodyOf(wanted), ...carriedOver(record) }, drift };
}
function differences(record, body, id) {
    const fields = [
        ['id', record.id, id ?? record.id],
        ['type', record.type, body.type],
        ['name', record.name, body.name],
        ['content', record.content, body.content],
        ['ttl', effectiveTtl(record), effectiveTtl(body)],
        ['proxied', record.proxied, body.proxied],
    ];
    return fields
        .filter(([, found, sent]) => found !== sent)
        .map(([field, found, sent]) => ({ field, found: String(found), sent: String(sent) }));
}
function bodyOf({ type, hostname, address, ttl, proxied }) {
    return { type, name: hostname, content: address, ttl, proxied };
}
function carriedOver(record) {
    return {
        ...(record.comment === null ? {} : { comment: record.comment }),
        ...(record.tags.length === 0 ? {} : { tags: record.tags }),
        ...(Object.keys(record.settings).length === 0 ? {} : { settings: record.settings }),
        ...(record.privateRouting === null ? {} : { private_routing: record.privateRouting }),
    };
}
function driftOf(record, wanted) {
    const ttl = { field: 'ttl', found: effectiveTtl(record), wanted: effectiveTtl(wanted) };
    const proxied = { field: 'proxied', found: record.proxied, wanted: wanted.proxied };
    return [ttl, proxied].filter(({ found, wanted }) => found !== wanted);
}
function effectiveTtl({ ttl, proxied }) {
    return proxied ? 1 : ttl;
}

// EXTERNAL MODULE: ./action/records/hostname.ts + 1 modules
var records_hostname = __nccwpck_require__(164);
;// CONCATENATED MODULE: ./action/records/envelope.ts



const maxErrors = 10;
const maxDepth = 32;
function parseEnvelope(body) {
    let json;
    try {
        json = JSON.parse(body);
    }
    catch {
        return null;
    }
    if (!isWithinDepth(json, maxDepth))
        return null;
    if (!isObject(json) || typeof json['success'] !== 'boolean')
        return null;
    return {
        success: json['success'],
        errors: errorsIn(json['errors']).slice(0, maxErrors),
        result: json['result'],
        resultInfo: json['result_info'],
    };
}
const infoFields = ['page', 'per_page', 'count', 'total_count', 'total_pages'];
const continuation = /cursor|next|more|after/i;
function readPageInfo(resultInfo) {
    if (resultInfo === undefined || resultInfo === null)
        return null;
    if (!isObject(resultInfo))
        return { doubt: 'its result_info is not an object' };
    for (const [field, value] of Object.entries(resultInfo)) {
        const read = infoFields.includes(field)
            ? Number.isSafeInteger(value) && Number(value) >= 0
            : !continuation.test(field);
        const empty = value === null || value === '' || value === false;
        if (!read && !empty)
            return { doubt: `its result_info contains ${(0,quote/* quote */.h)(field)}: ${(0,quote/* quote */.h)(JSON.stringify(value))}` };
    }
    const [page, perPage, count, total, pages] = infoFields.map(field => {
        const value = resultInfo[field];
        return typeof value === 'number' ? value : null;
    });
    return {
        page: page ?? null,
        perPage: perPage ?? null,
        count: count ?? null,
        total: total ?? null,
        pages: pages ?? null,
    };
}
function doubtAboutWhole(resultInfo, shown) {
    const info = readPageInfo(resultInfo);
    if (info === null)
        return null;
    if ('doubt' in info)
        return info.doubt;
    const { page, perPage, count, total, pages } = info;
    const all = Math.max(count ?? 0, total ?? 0);
    if (all > shown)
        return `it shows ${shown} of ${all} records`;
    if ((page ?? 1) !== 1 || (pages ?? 1) > 1)
        return `it is page ${page ?? 1} of ${pages ?? 'an unknown number'}`;
    const full = perPage !== null && shown >= perPage;
    if (full && total === null && pages === null)
        return `its page is full with ${shown} records`;
    return null;
}
function errorsIn(value) {
    if (!Array.isArray(value))
        return [];
    return value.filter(isObject).flatMap(error => {
        const { code, message } = error;
        const own = typeof code === 'number' ? [{ code, message: typeof message === 'string' ? message : '' }] : [];
        return [...own, ...errorsIn(error['error_chain'])];
    });
}
function isWithinDepth(value, depth) {
    if (typeof value !== 'object' || value === null)
        return true;
    return depth > 0 && Object.values(value).every(member => isWithinDepth(member, depth - 1));
}
function parseRecord(value) {
    if (!isObject(value))
        return null;
    const { id, type, name, content, ttl, proxied, comment, tags, settings, meta } = value;
    const privateRouting = value['private_routing'];
    if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id))
        return null;
    if (typeof type !== 'string' || typeof name !== 'string')
        return null;
    const text = typeof content === 'string' ? content : '';
    const isAddress = type === 'A' || type === 'AAAA';
    const address = isAddress ? address_family/* families */.TJ[type].parse(text) : text;
    if (isAddress && !(address && Number.isInteger(ttl) && typeof proxied === 'boolean'))
        return null;
    return {
        id,
        type,
        name: (0,records_hostname/* canonicalHostname */.G)(name) ?? name.toLowerCase(),
        content: address ?? '',
        ttl: typeof ttl === 'number' ? ttl : 1,
        proxied: proxied === true,
        comment: typeof comment === 'string' && comment !== '' ? comment : null,
        tags: Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string') : [],
        settings: isObject(settings) ? settings : {},
        privateRouting: typeof privateRouting === 'boolean' ? privateRouting : null,
        readOnly: isObject(meta) && meta['read_only'] === true,
    };
}
function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

;// CONCATENATED MODULE: ./action/records/breaker.ts
const maxFailuresInRow = 4;
function createBreaker() {
    let service = null;
    const zones = new Map();
    let anyWritten = false;
    let failuresInRow = 0;
    const open = (zoneId, failure, scope) => {
        if (scope === 'request' || service || zones.has(zoneId))
            return;
        const reason = failure.reason === 'write-unconfirmed' ? 'service-unavailable' : failure.reason;
        const message = `Not tried, because another name just failed with ${failure.reason}.`;
        if (scope === 'service')
            service = { reason, message };
        else
            zones.set(zoneId, { reason, message });
    };
    return {
        openFor: zoneId => service ?? zones.get(zoneId) ?? null,
        readFailed: open,
        writeSucceeded() {
            anyWritten = true;
            failuresInRow = 0;
        },
        writeFailed(zoneId, problem, scope) {
            if (scope === 'request')
                return;
            failuresInRow++;
            if (!anyWritten || failuresInRow >= maxFailuresInRow)
                open(zoneId, problem, scope);
        },
    };
}

;// CONCATENATED MODULE: ./action/records/pace.ts
function createPace(clock) {
    let underWay = 0;
    let blockedUntilMs = Number.NEGATIVE_INFINITY;
    const block = (ms) => {
        blockedUntilMs = Math.max(blockedUntilMs, clock.now() + ms);
    };
    return {
        waitMs: () => Math.max(0, blockedUntilMs - clock.now()),
        async track(sent) {
            underWay++;
            const outcome = await sent.finally(() => underWay--);
            if (outcome.kind === 'failure')
                return outcome;
            if (outcome.status === 429)
                block(outcome.retryAfterMs ?? 0);
            for (const { remaining, resetMs } of outcome.rateLimits ?? [])
                if (remaining <= underWay)
                    block(resetMs);
            return outcome;
        },
    };
}

;// CONCATENATED MODULE: ./action/records/problems.ts

const credentialCodes = new Set([6003, 6103, 6111, 9106, 9109, 10000]);
const malformedTokenCodes = new Set([6003, 6103, 6111]);
const routingCode = 7003;
const rateLimitCodes = new Set([971, 10100, 10429]);
const recordGoneCode = 81044;
const conflictCodes = new Set([81053, 81054]);
const duplicateCodes = new Set([81057, 81058]);
const freeDomainCode = 1038;
function isRateLimit(status, errors) {
    return status === 429 || errors.some(error => rateLimitCodes.has(error.code));
}
function scopeOf(status, errors) {
    const invalidToken = errors.some(({ code, message }) => malformedTokenCodes.has(code) || /invalid access token/i.test(message));
    if (status === 401 || invalidToken)
        return 'service';
    const ofZone = errors.some(({ code }) => credentialCodes.has(code) || code === routingCode);
    return status === 403 || ofZone ? 'zone' : 'request';
}
function explainErrors(status, errors, attempt) {
    const has = (codes) => errors.some(error => codes.has(error.code));
    const response = describeResponse(status, errors);
    const failed = `Failed to ${attempt.what}: ${response}.`;
    if (errors.some(error => error.code === routingCode)) {
        return {
            reason: 'zone-not-found',
            message: `${failed} The service has no zone ${attempt.zoneId}. Copy zone-id from the overview page of the zone.`,
        };
    }
    if (status === 401 || status === 403 || has(credentialCodes)) {
        const freeDomain = errors.some(error => error.code === freeDomainCode)
            ? ' Code 1038 means that the API does not support free domains (.tk, .ml, .ga, .cf, .gq).'
            : '';
        const zoneAdvice = has(malformedTokenCodes)
            ? ''
            : 'Check zone-id first: the service responds the same way to a mistyped one. ';
        return {
            reason: 'token-rejected',
            message: `${failed} ${zoneAdvice}The token is wrong, expired or revoked, or it does not cover zone ${attempt.zoneId}. Create a ` +
                `token from the template "Edit zone DNS" for this zone only, and store it in the secret that api-token uses.${freeDomain}`,
        };
    }
    if (isRateLimit(status, errors))
        return rateLimited(attempt, response);
    if (attempt.writes && (status === 404 || errors.some(error => error.code === recordGoneCode))) {
        return {
            reason: 'record-missing',
            message: `${failed} The record was deleted after it was read. Run again to check the name.`,
        };
    }
    if (attempt.writes && has(conflictCodes)) {
        return {
            reason: 'record-conflict',
            message: `${failed} Another record at this name prevents it. If you no longer need that record, delete it.`,
        };
    }
    if (attempt.writes && has(duplicateCodes)) {
        return {
            reason: 'write-rejected',
            message: `${failed} Something else wrote the same record in the meantime. Let only one workflow update the hostname.`,
        };
    }
    if (status >= 500) {
        return { reason: 'service-unavailable', message: failed };
    }
    return attempt.writes
        ? {
            reason: 'write-rejected',
            message: `${failed} Nothing was written. Check the setting that the service names.`,
        }
        : { reason: 'unexpected', message: `${failed} Check base-url.` };
}
function rateLimited(attempt, response) {
    return {
        reason: 'rate-limited',
        message: `Failed to ${attempt.what}: ${response}. The limit counts all requests with the tokens, keys and dashboard of this ` +
            'account. Run less often, or find what else sends requests.',
    };
}
function describeResponse(status, errors) {
    const codes = errors.map(error => `code ${error.code} ${(0,quote/* quote */.h)(error.message)}`);
    return [`the service returned ${status}`, ...codes].join(', ');
}
function explainRefusal(refusal, { hostname, type }) {
    return { reason: refusal.reason, message: messageFor(refusal, hostname, type) };
}
function messageFor(refusal, hostname, type) {
    switch (refusal.reason) {
        case 'record-conflict':
            return (`${hostname} is a CNAME, which cannot be combined with an ${type} record. Delete the CNAME, or do not update ` +
                'this name: a CNAME to a name that already follows the address needs no update.');
        case 'record-ambiguous':
            return `${hostname} has ${nameRecords(refusal.records)}. Homeport does not choose between them. Delete all but one.`;
        case 'record-missing': {
            const { types } = refusal;
            const found = types.length === 0 ? 'no record' : `no ${type} record, only ${types.map(quote/* quote */.h).join(', ')}`;
            return (`${hostname} has ${found} in this zone. Create the ${type} record once (\`pulumi up\` or the dashboard), or set ` +
                'create: true.');
        }
        case 'record-read-only':
            return `The ${type} record of ${hostname} is managed by another product of the DNS service, so it cannot be edited. Change it in that product.`;
    }
}
function explainOutside({ hostname, zoneId }, zoneSuffix) {
    return {
        reason: 'record-missing',
        message: `${hostname} does not belong to zone ${zoneId}, whose records all end with ${(0,quote/* quote */.h)(zoneSuffix)}. The service would ` +
            'create a name below that. Nothing was written. Check hostname and zone-id.',
    };
}
function explainMisplaced({ hostname, zoneId }, created) {
    return {
        reason: 'write-unconfirmed',
        message: `The service created ${(0,quote/* quote */.h)(created.name)} (id ${created.id}) instead of ${hostname}, because ${hostname} does not ` +
            `belong to zone ${zoneId}. Delete the record ${created.id}. Then check hostname and zone-id.`,
    };
}
function nameRecords(records) {
    const named = records.map(({ id, content }) => `${id} (${(0,quote/* quote */.h)(content)})`).join(', ');
    return `${records.length} ${records[0]?.type} records: ${named}`;
}
function nameDifferences(differences) {
    return differences.map(({ field, found, sent }) => `${field} ${(0,quote/* quote */.h)(found)} instead of ${sent}`).join(', ');
}

;// CONCATENATED MODULE: ./action/records/service.ts




const maxReads = 3;
const maxResponseBytes = 1024 * 1024;
const maxWaitsMs = [500, 1000];
function openService({ baseUrl, token }, exchange, deadline, clock) {
    return { baseUrl, token, exchange, deadline, clock, breaker: createBreaker(), pace: createPace(clock) };
}
async function readPath(service, path, attempt, maxBytes = maxResponseBytes) {
    const { deadline, clock, breaker } = service;
    const failed = (problem, scope) => {
        breaker.readFailed(attempt.zoneId, problem, scope);
        return { kind: 'failed', problem };
    };
    let last;
    for (let read = 1;; read++) {
        const open = breaker.openFor(attempt.zoneId);
        if (open)
            return { kind: 'failed', problem: open };
        const remainingMs = deadline.remainingMs();
        if (remainingMs <= 0)
            return failed(deadlinePassed(attempt, last), 'service');
        const outcome = await send(service, { method: 'GET', path, maxBytes }, remainingMs);
        if (outcome.kind === 'withheld')
            return failed(rateLimited(attempt, describeLimit(outcome)), 'service');
        if (outcome.kind === 'failure' && outcome.cause === 'too-large') {
            return { kind: 'too-large', problem: unavailable(attempt, outcome.detail) };
        }
        const response = readResponse(outcome, attempt);
        if (response.kind === 'read')
            return response;
        if (response.kind === 'refused')
            return failed(response.problem, response.scope);
        last = response.problem;
        const retryAfterMs = outcome.kind === 'response' ? outcome.retryAfterMs : null;
        const waitMs = retryAfterMs ?? clock.random() * (maxWaitsMs[read - 1] ?? 0);
        if (read === maxReads || waitMs >= deadline.remainingMs()) {
            const outOfTime = read < maxReads && retryAfterMs === null;
            return failed(outOfTime ? deadlinePassed(attempt, last) : last, 'service');
        }
        await clock.sleep(waitMs);
    }
}
function readResponse(outcome, attempt) {
    if (outcome.kind === 'failure')
        return { kind: 'retry', problem: unavailable(attempt, outcome.detail) };
    if (isRedirect(outcome))
        return { kind: 'refused', problem: redirected(attempt), scope: 'service' };
    const { status } = outcome;
    const envelope = parseEnvelope(outcome.body);
    const errors = envelope?.errors ?? [];
    if (isRateLimit(status, errors)) {
        return { kind: 'retry', problem: rateLimited(attempt, describeResponse(status, errors)) };
    }
    if (status >= 500)
        return { kind: 'retry', problem: explainErrors(status, errors, attempt) };
    if (status >= 400 || envelope?.success === false) {
        const problem = explainErrors(status, errors, attempt);
        return { kind: 'refused', problem, scope: scopeOf(status, errors) };
    }
    if (!envelope)
        return { kind: 'retry', problem: unavailable(attempt, describeBody(outcome)) };
    return { kind: 'read', envelope };
}
async function replaceRecord(service, target, recordId, body, timeoutMs) {
    const path = `${recordsPath(target.zoneId)}/${recordId}`;
    const outcome = await send(service, { method: 'PUT', path, body: JSON.stringify(body) }, timeoutMs);
    return readWrite(outcome, { what: `update ${target.hostname}`, zoneId: target.zoneId, writes: true });
}
async function createRecord(service, target, body, timeoutMs) {
    const path = recordsPath(target.zoneId);
    const outcome = await send(service, { method: 'POST', path, body: JSON.stringify(body) }, timeoutMs);
    return readWrite(outcome, { what: `create ${target.hostname}`, zoneId: target.zoneId, writes: true });
}
function readWrite(outcome, attempt) {
    if (outcome.kind === 'withheld') {
        const problem = rateLimited(attempt, describeLimit(outcome));
        return { kind: 'limited', problem, retryAfterMs: outcome.waitMs };
    }
    if (outcome.kind === 'failure')
        return { kind: 'unknown', what: outcome.detail, retryAfterMs: null };
    const { status, retryAfterMs } = outcome;
    const envelope = parseEnvelope(outcome.body);
    const errors = envelope?.errors ?? [];
    const what = describeResponse(status, errors);
    if (isRateLimit(status, errors)) {
        return { kind: 'limited', problem: rateLimited(attempt, what), retryAfterMs };
    }
    if (status >= 500)
        return { kind: 'unknown', what, retryAfterMs };
    if (status >= 400) {
        const problem = explainErrors(status, errors, attempt);
        return { kind: 'refused', problem, what, scope: scopeOf(status, errors) };
    }
    if (envelope?.success === false)
        return { kind: 'unknown', what: `${what}, without success`, retryAfterMs };
    const record = envelope ? parseRecord(envelope.result) : null;
    if (isRedirect(outcome) || !record)
        return { kind: 'unknown', what: describeBody(outcome), retryAfterMs };
    return { kind: 'answered', record };
}
async function send(service, { path, ...request }, timeoutMs) {
    const { exchange, deadline, clock, pace } = service;
    const endMs = clock.now() + timeoutMs;
    const waitMs = pace.waitMs();
    if (waitMs > 0 && clock.now() + waitMs < endMs)
        await clock.sleep(waitMs);
    if (pace.waitMs() > 0)
        return { kind: 'withheld', waitMs: pace.waitMs() };
    return pace.track(exchange({
        maxBytes: maxResponseBytes,
        ...request,
        url: `${service.baseUrl}/client/v4/${path}`,
        headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
        timeoutMs: Math.min(deadline.callMs, endMs - clock.now()),
    }));
}
function recordsPath(zoneId) {
    return `zones/${zoneId}/dns_records`;
}
function isRedirect(response) {
    return response.status >= 300 && response.status < 400;
}
function unavailable(attempt, what) {
    return { reason: 'service-unavailable', message: `Failed to ${attempt.what}: ${what}.` };
}
function redirected(attempt) {
    return {
        reason: 'unexpected',
        message: `Failed to ${attempt.what}: the service returned a redirect. The action does not follow it, because that would send ` +
            'the token along. Check base-url, and look for a captive portal or a proxy.',
    };
}
function describeBody({ status, body }) {
    const found = body === '' ? 'an empty body' : 'something other than its JSON envelope';
    return `the service returned ${status} with ${found}`;
}
function describeLimit({ waitMs }) {
    return `the rate limit allows no more requests for ${Math.ceil(waitMs / 1000)} s`;
}
function deadlinePassed(attempt, last) {
    const again = last ? ` again. ${last.message}` : '.';
    return {
        reason: 'deadline',
        message: `No time was left to ${attempt.what}${again} If this happens again, raise timeout.`,
    };
}

;// CONCATENATED MODULE: ./action/records/zone-suffix.ts
function commonSuffix(one, other) {
    const [labels, otherLabels] = [one.split('.').toReversed(), other.split('.').toReversed()];
    const differs = labels.findIndex((label, depth) => label !== otherLabels[depth]);
    return (differs < 0 ? labels : labels.slice(0, differs)).toReversed().join('.');
}
function isOutside(hostname, zoneSuffix) {
    return zoneSuffix.includes('.') && !commonSuffix(hostname, zoneSuffix).includes('.');
}

;// CONCATENATED MODULE: ./action/records/list.ts






const maxConcurrentReads = 8;
const pageSize = 1000;
const maxPageBytes = 8 * 1024 * 1024;
const maxZoneReads = 2;
async function listTargets(service, targets) {
    const zones = [...Map.groupBy(targets, target => target.zoneId)];
    const listings = await mapConcurrently(zones, maxConcurrentReads, async ([zoneId, inZone]) => {
        try {
            return await (inZone.length > 1 ? listZone(service, zoneId, inZone) : listEach(service, inZone));
        }
        catch (error) {
            const problem = (0,action_problem/* unhandledError */.U)(error, 'It wrote nothing in this zone');
            return new Map(inZone.map(({ hostname }) => [hostname, { kind: 'failed', problem }]));
        }
    });
    return new Map(listings.flatMap((listed) => [...listed]));
}
async function listRecords(service, { hostname, zoneId }) {
    const attempt = { what: `list the records of ${hostname}`, zoneId, writes: false };
    const read = await readPath(service, `${recordsPath(zoneId)}?name=${encodeURIComponent(hostname)}`, attempt);
    if (read.kind !== 'read')
        return { kind: 'failed', problem: read.problem };
    const { result, resultInfo } = read.envelope;
    if (!Array.isArray(result))
        return unreadable(attempt, noList);
    const records = result.map(parseRecord);
    const readable = records.filter(record => record !== null);
    if (readable.length < records.length)
        return unreadable(attempt, malformed);
    const doubt = doubtAboutWhole(resultInfo, readable.length);
    if (doubt)
        return unreadable(attempt, incomplete(doubt));
    return { kind: 'listed', records: readable, zoneSuffix: null };
}
async function readZoneSuffix(service, zoneId) {
    const attempt = { what: `list the records of zone ${zoneId}`, zoneId, writes: false };
    try {
        const read = await readPath(service, recordsPath(zoneId), attempt);
        if (read.kind !== 'read')
            return { problem: read.problem };
        const page = readEntries(read.envelope, new Set());
        return 'doubt' in page ? unreadable(attempt, page.doubt) : { zoneSuffix: page.suffix ?? '' };
    }
    catch (error) {
        return { problem: (0,action_problem/* unhandledError */.U)(error, 'It created nothing in this zone') };
    }
}
async function listEach(service, targets) {
    const listings = await mapConcurrently(targets, maxConcurrentReads, async (target) => [target.hostname, await listRecords(service, target)]);
    return new Map(listings);
}
async function listZone(service, zoneId, targets) {
    const attempt = { what: `list the records of zone ${zoneId}`, zoneId, writes: false };
    const hostnames = new Set(targets.map(target => target.hostname));
    const forAll = (listing) => new Map(targets.map(({ hostname }) => [hostname, listing]));
    for (let reads = 1;; reads++) {
        const zone = await readZone(service, zoneId, hostnames, attempt);
        if (zone.kind === 'by-name')
            return listEach(service, targets);
        if (zone.kind === 'failed')
            return forAll(zone);
        if (zone.kind === 'listed') {
            const byName = Map.groupBy(zone.records, record => record.name);
            return new Map(targets.map(({ hostname }) => [hostname, { ...zone, records: byName.get(hostname) ?? [] }]));
        }
        if (reads === maxZoneReads) {
            return forAll(unreadable(attempt, `the zone changed while its pages were read (${zone.how})`));
        }
    }
}
async function readZone(service, zoneId, hostnames, attempt) {
    const readPage = (page) => readPath(service, `${recordsPath(zoneId)}?per_page=${pageSize}&page=${page}`, attempt, maxPageBytes);
    const first = await readPage(1);
    if (first.kind === 'too-large')
        return { kind: 'by-name' };
    if (first.kind === 'failed')
        return { kind: 'failed', problem: first.problem };
    const { result, resultInfo } = first.envelope;
    const info = readPageInfo(resultInfo);
    if (info && 'doubt' in info)
        return unreadable(attempt, incomplete(info.doubt));
    const shown = Array.isArray(result) ? result.length : 0;
    const total = info?.total ?? null;
    const pages = total === null ? (info?.pages ?? 1) : Math.ceil(total / Math.max(1, info?.perPage ?? shown));
    const uncountable = pages <= 1 && doubtAboutWhole(resultInfo, shown) !== null;
    if (uncountable || pages - 1 > hostnames.size)
        return { kind: 'by-name' };
    const others = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2);
    const reads = await mapConcurrently(others, maxConcurrentReads, readPage);
    const envelopes = [first.envelope];
    for (const [index, read] of reads.entries()) {
        if (read.kind === 'too-large')
            return { kind: 'by-name' };
        if (read.kind === 'failed')
            return { kind: 'failed', problem: read.problem };
        const page = readPageInfo(read.envelope.resultInfo);
        if (!page || 'doubt' in page || page.page !== others[index]) {
            return unreadable(attempt, incomplete(`page ${others[index]} does not say which page it is`));
        }
        if (page.total !== total)
            return { kind: 'changed', how: `from ${total} to ${page.total} records` };
        envelopes.push(read.envelope);
    }
    return joinPages(envelopes, total, hostnames, attempt);
}
function joinPages(envelopes, total, hostnames, attempt) {
    const pages = [];
    for (const envelope of envelopes) {
        const page = readEntries(envelope, hostnames);
        if ('doubt' in page)
            return unreadable(attempt, page.doubt);
        pages.push(page);
    }
    const ids = pages.flatMap(page => page.ids);
    const different = new Set(ids).size;
    if (pages.length > 1 && (ids.length !== total || different !== total)) {
        return { kind: 'changed', how: `${different} different records of ${total}` };
    }
    const suffixes = pages.flatMap(page => page.suffix ?? []);
    const zoneSuffix = suffixes.length > 0 ? suffixes.reduce(commonSuffix) : '';
    return { kind: 'listed', records: pages.flatMap(page => page.records), zoneSuffix };
}
function readEntries({ result }, hostnames) {
    if (!Array.isArray(result))
        return { doubt: noList };
    const records = [];
    const ids = [];
    let suffix = null;
    for (const entry of result) {
        if (!isObject(entry) || typeof entry['name'] !== 'string')
            return { doubt: malformed };
        const name = (0,records_hostname/* canonicalHostname */.G)(entry['name']) ?? entry['name'].toLowerCase();
        suffix = suffix === null ? name : commonSuffix(suffix, name);
        ids.push(entry['id']);
        if (!hostnames.has(name))
            continue;
        const record = parseRecord(entry);
        if (!record)
            return { doubt: malformed };
        records.push(record);
    }
    return { records, ids, suffix };
}
const noList = 'the response contains no list of records';
const malformed = 'a record in the response has missing or malformed fields';
function incomplete(doubt) {
    return `the list may be incomplete, and only a complete one can be trusted: ${doubt}`;
}
function unreadable(attempt, why) {
    const message = `Failed to ${attempt.what}: ${why}. Check base-url.`;
    return { kind: 'failed', problem: { reason: 'unexpected', message } };
}

;// CONCATENATED MODULE: ./action/records/stale-ipv6.ts
function staleIpv6Notes(listed, hostname) {
    const stale = listed.filter(({ name, type }) => name === hostname && type === 'AAAA');
    if (stale.length === 0)
        return [];
    const contents = stale.map(({ content }) => content).join(', ');
    return [
        `${hostname} also has an AAAA record (${contents}), which this run does not manage. Most clients try it first, so it ` +
            'must not be out of date: check it, delete it, or set record-type: A,AAAA.',
    ];
}

;// CONCATENATED MODULE: ./action/decide.ts








function decide(target, detection, listing, settings) {
    const slot = { ...target, type: detection.type };
    try {
        return decideFromListing(slot, detection, listing, settings);
    }
    catch (error) {
        return refuse(slot, (0,action_problem/* unhandledError */.U)(error, `It wrote nothing for ${target.hostname}`), null);
    }
}
function decideFromListing(slot, detection, listing, settings) {
    const { hostname, type } = slot;
    const learned = detection.kind === 'none' ? detection : addressFor(hostname, detection, settings.addressRules);
    if ('problem' in learned)
        return refuse(slot, learned.problem, null);
    const { address } = learned;
    if (!listing)
        throw new Error('Records are listed whenever an address is known.');
    if (listing.kind === 'failed')
        return refuse(slot, withoutWrite(listing.problem), address);
    const { records, zoneSuffix } = listing;
    const wanted = { ...settings.record, hostname, type, address };
    const plan = reconcile(records, wanted);
    const missing = plan.kind === 'create' || (plan.kind === 'refuse' && plan.refusal.reason === 'record-missing');
    if (missing && zoneSuffix !== null && isOutside(hostname, zoneSuffix)) {
        return refuse(slot, explainOutside(slot, zoneSuffix), address);
    }
    if (plan.kind === 'refuse')
        return refuse(slot, explainRefusal(plan.refusal, wanted), address);
    if (plan.kind === 'unchanged') {
        const result = { ...describePlan(slot, address, plan), result: 'unchanged' };
        return { kind: 'done', outcome: { result, confirmed: plan.record } };
    }
    const managesIpv6 = settings.addresses.some(other => other.type === 'AAAA');
    const notes = managesIpv6 ? [] : staleIpv6Notes(records, hostname);
    return { kind: 'write', slot, plan, notes, zoneSuffix };
}
async function checkCreations(decisions, service) {
    const zoneIds = new Set(decisions.flatMap(decision => (isUnchecked(decision) ? decision.slot.zoneId : [])));
    const suffixes = await mapConcurrently([...zoneIds], maxConcurrentReads, async (zoneId) => [zoneId, await readZoneSuffix(service, zoneId)]);
    const suffixOf = new Map(suffixes);
    return decisions.map(decision => {
        const suffix = isUnchecked(decision) ? suffixOf.get(decision.slot.zoneId) : undefined;
        if (!suffix || decision.kind === 'done')
            return decision;
        const { slot, plan } = decision;
        if ('problem' in suffix)
            return refuse(slot, withoutWrite(suffix.problem), plan.body.content);
        if (!isOutside(slot.hostname, suffix.zoneSuffix))
            return decision;
        return refuse(slot, explainOutside(slot, suffix.zoneSuffix), plan.body.content);
    });
}
function isUnchecked(decision) {
    return decision.kind === 'write' && decision.plan.kind === 'create' && decision.zoneSuffix === null;
}
function describePlan(slot, address, plan) {
    const existing = plan && plan.kind !== 'create' ? plan : null;
    return {
        ...slot,
        address,
        previousAddress: existing?.record.content ?? null,
        recordId: existing?.record.id ?? null,
        drift: existing?.drift ?? [],
        written: false,
        problem: null,
        notes: [],
    };
}
function refuse(slot, problem, address) {
    const result = { ...describePlan(slot, address, null), result: 'failed', problem };
    return { kind: 'done', outcome: { result, confirmed: null } };
}
function withoutWrite({ reason, message }) {
    const then = reason === 'service-unavailable' ? '; the next run tries again' : '';
    return { reason, message: `${message} Nothing was written${then}.` };
}

;// CONCATENATED MODULE: ./action/verify.ts



const dnsPort = 53;
const maxQueryMs = 4000;
const maxConcurrentQueries = 16;
const minWaitMs = 1000;
const maxWaitMs = 5000;
async function verifyServed(records, given, context) {
    const servers = given.length > 0 ? records.map(() => given) : await findServers(records, context);
    const checks = records.map((record, index) => {
        const found = servers[index] ?? [];
        return 'problem' in found ? [] : found.map(server => ({ record, server }));
    });
    const lagging = await waitUntilServed(checks.flat(), context);
    return records.map((record, index) => {
        const found = servers[index] ?? [];
        if ('problem' in found)
            return { kind: 'failed', problem: notServed(found.problem) };
        const late = (checks[index] ?? []).filter(check => lagging.has(check));
        if (late.length > 0)
            return { kind: 'failed', problem: explainLag(record, late, lagging) };
        return { kind: 'served', servers: found.map(({ name }) => name) };
    });
}
async function waitUntilServed(checks, context) {
    const { clock, deadline } = context;
    const addresses = new Map();
    for (const { server } of checks) {
        if (!addresses.has(server.host))
            addresses.set(server.host, await context.dns.addressesOf(server.host));
    }
    const lagging = new Map(checks.map(check => [check, 'was not asked in time']));
    for (let waitMs = minWaitMs;; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
        const silent = new Map();
        await mapConcurrently([...lagging.keys()], maxConcurrentQueries, async (check) => {
            const { record, server } = check;
            if (deadline.remainingMs() <= 0)
                return;
            const silence = silent.get(server.name);
            if (silence !== undefined)
                return void lagging.set(check, silence);
            const found = addresses.get(server.host) ?? [];
            const response = 'kind' in found ? found : await ask(record, found, server.port, context);
            const lag = describeLag(response, record);
            if ('kind' in response && lag !== null)
                silent.set(server.name, lag);
            if (lag === null)
                lagging.delete(check);
            else
                lagging.set(check, lag);
        });
        const sleepMs = waitMs * (0.5 + clock.random() / 2);
        if (lagging.size === 0 || sleepMs >= deadline.remainingMs())
            return lagging;
        const asleepMs = clock.now();
        await clock.sleep(sleepMs);
        if (clock.now() - asleepMs < sleepMs / 2)
            return lagging;
    }
}
async function ask({ hostname, type }, addresses, port, { dns, clock, deadline }) {
    let response = { kind: 'failure', detail: 'it has no address' };
    for (const address of addresses) {
        const question = {
            id: Math.floor(clock.random() * 0x10000),
            name: hostname,
            type,
            recursionDesired: false,
        };
        const timeoutMs = Math.min(maxQueryMs, deadline.remainingMs());
        if (timeoutMs <= 0)
            break;
        response = await dns.ask({ address, port }, question, timeoutMs);
        if (!('kind' in response))
            break;
    }
    return response;
}
function describeLag(response, record) {
    if ('kind' in response)
        return `did not respond (${response.detail})`;
    const { rcode, authoritative, answers } = response;
    if (rcode !== 'NOERROR')
        return `returned ${rcode}`;
    if (!authoritative)
        return 'is not authoritative for it';
    const own = answers.filter(({ name }) => name === record.hostname);
    const addresses = own.flatMap(({ type, data }) => (type === record.type ? data : []));
    const alias = own.find(({ type }) => type === 'CNAME');
    if (alias)
        return `serves an alias to ${(0,quote/* quote */.h)(alias.data)}`;
    if (addresses.length === 0)
        return `serves no ${record.type} record`;
    const served = `serves ${addresses.join(', ')}`;
    if (record.proxied) {
        const unproxied = addresses.some(data => data === record.address || data === record.previousAddress);
        return unproxied ? `${served} instead of addresses of the proxy` : null;
    }
    return addresses.length === 1 && addresses[0] === record.address ? null : served;
}
async function findServers(records, { dns }) {
    const tops = new Map();
    const results = [];
    for (const { zoneId, hostname } of records) {
        const known = tops.get(zoneId);
        const usable = known && (hostname === known.top || hostname.endsWith(`.${known.top}`));
        const looked = usable ? known : await findZone(hostname, dns);
        tops.set(zoneId, looked);
        results.push(looked.found);
    }
    return results;
}
async function findZone(hostname, dns) {
    const failed = (why) => ({
        top: hostname,
        found: { problem: `Failed to find the name servers of ${hostname}: ${why}. Set name-servers.` },
    });
    const labels = hostname.replace(/^\*\./, '').split('.');
    for (let depth = 0; depth < labels.length - 1; depth++) {
        const top = labels.slice(depth).join('.');
        const names = await dns.nameServersOf(top);
        if ('kind' in names)
            return failed(names.detail);
        if (names.length === 0)
            continue;
        const hosts = names.map(name => (0,records_hostname/* canonicalHostname */.G)(name));
        if (hosts.includes(null))
            return failed(`${top} has ${names.map(quote/* quote */.h).join(', ')}`);
        const found = hosts.flatMap(host => (host ? [{ name: host, host, port: dnsPort }] : []));
        return { top, found: found.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
    }
    return failed('no zone has any');
}
function explainLag({ hostname, type, address }, late, lags) {
    const named = late.map(check => `${check.server.name} ${lags.get(check)}`).join('; ');
    return notServed(`The service confirmed ${hostname} (${type}) with ${address}, but not every name server serves it: ${named}. The next ` +
        'run checks again. If this lasts, check that the domain is delegated to the name servers of its zone, or raise timeout.');
}
function notServed(message) {
    return { reason: 'not-served', message };
}

;// CONCATENATED MODULE: ./action/write.ts





const maxWrites = 2;
const write_maxWaitMs = 500;
const retryTooLate = 'its Retry-After is later than the deadline';
async function write(service, target, plan) {
    const { breaker } = service;
    const open = breaker.openFor(target.zoneId);
    if (open)
        return failed({ ...open, message: `${open.message} Nothing was written.` }, 'request');
    const written = await writeUntilKnown(service, target, plan).catch((error) => {
        const { message } = (0,action_problem/* unhandledError */.U)(error, `It may have written ${target.hostname}`);
        return failed({ reason: 'write-unconfirmed', message }, 'request');
    });
    if (written.kind === 'confirmed')
        breaker.writeSucceeded();
    else
        breaker.writeFailed(target.zoneId, written.problem, written.scope);
    return written;
}
async function writeUntilKnown(service, target, plan) {
    const { deadline, clock } = service;
    let mayHaveHappened = false;
    for (let attempt = 1;; attempt++) {
        const spareMs = deadline.remainingMs() - deadline.callMs;
        if (spareMs <= 0)
            return outOfTime(target, plan, mayHaveHappened);
        const outcome = await sendWrite(service, target, plan, spareMs);
        if (outcome.kind === 'refused' && !mayHaveHappened)
            return failed(outcome.problem, outcome.scope);
        const doubt = doubtAbout(outcome, plan);
        if (outcome.kind === 'answered') {
            const { record } = outcome;
            if (doubt === null && plan.kind === 'create')
                return confirmSingle(service, target, plan, record);
            if (doubt === null)
                return { kind: 'confirmed', record, notes: [] };
            if (plan.kind === 'create' && record.name !== target.hostname) {
                return failed(explainMisplaced(target, record), 'request', record);
            }
        }
        mayHaveHappened ||= outcome.kind !== 'limited';
        const giveUp = (then) => outcome.kind === 'limited' && !mayHaveHappened
            ? failed(outcome.problem, 'service')
            : unconfirmed(target, plan, `${doubt}; ${then}`, outcome.kind === 'unknown' ? 'service' : 'request');
        const retryAfterMs = outcome.kind === 'unknown' || outcome.kind === 'limited' ? outcome.retryAfterMs : null;
        const forWaitingMs = Math.max(0, deadline.remainingMs() - deadline.callMs);
        const tooLate = retryAfterMs !== null && retryAfterMs > forWaitingMs;
        if (tooLate && !mayHaveHappened)
            return giveUp(retryTooLate);
        const jitterMs = Math.min(clock.random() * write_maxWaitMs, forWaitingMs);
        await clock.sleep(tooLate ? jitterMs : (retryAfterMs ?? jitterMs));
        const listing = await listRecords(service, target);
        if (listing.kind === 'failed') {
            return giveUp(`reading it back failed too: ${listing.problem.message.replace(/\.$/, '')}`);
        }
        const found = readBack(listing.records, target, plan);
        if (found.kind === 'new') {
            const note = `The write of ${target.hostname} was confirmed by reading the record back, because ${doubt}.`;
            return { kind: 'confirmed', record: found.record, notes: [note] };
        }
        if (found.kind !== 'old')
            return giveUp(`reading it back, ${describeOther(found)}`);
        const old = `reading it back, it had not changed after ${attempt === 1 ? 'one attempt' : `${attempt} attempts`}`;
        if (tooLate)
            return giveUp(`${old}, and ${retryTooLate}`);
        const repeatable = outcome.kind === 'unknown' || outcome.kind === 'limited';
        if (attempt === maxWrites || !repeatable)
            return giveUp(old);
    }
}
async function confirmSingle(service, target, plan, record) {
    const { clock } = service;
    let listing = await listRecords(service, target);
    if (listing.kind === 'listed' && readBack(listing.records, target, plan).kind === 'old') {
        await clock.sleep(clock.random() * write_maxWaitMs);
        listing = await listRecords(service, target);
    }
    const doubt = (why) => ({
        ...unconfirmed(target, plan, `the service created ${record.id}, but ${why}`, 'request'),
        record,
    });
    if (listing.kind === 'failed')
        return doubt(`reading it back failed: ${listing.problem.message.replace(/\.$/, '')}`);
    const found = readBack(listing.records, target, plan);
    if (found.kind === 'new')
        return { kind: 'confirmed', record: found.record, notes: [] };
    if (found.kind === 'old')
        return doubt('reading it back, the name had no record');
    if (found.kind === 'other')
        return doubt(`reading it back, ${found.what}`);
    const message = `${target.hostname} has ${nameRecords(found.records)}, because something else created a record at the same time as ` +
        `this run created ${record.id}. Delete all but one. Let only one workflow update the hostname.`;
    return failed({ reason: 'record-ambiguous', message }, 'request', record);
}
function failed(problem, scope, record = null) {
    return { kind: 'failed', problem, record, scope };
}
function sendWrite(service, target, plan, timeoutMs) {
    return plan.kind === 'update'
        ? replaceRecord(service, target, plan.record.id, plan.body, timeoutMs)
        : createRecord(service, target, plan.body, timeoutMs);
}
function doubtAbout(outcome, plan) {
    if (outcome.kind === 'refused') {
        return `the outcome of the first attempt is unknown, and the service refused the second (${outcome.what})`;
    }
    if (outcome.kind === 'limited')
        return 'the rate limit was reached';
    if (outcome.kind === 'unknown')
        return outcome.what;
    const wrong = differences(outcome.record, plan.body, plan.kind === 'update' ? plan.record.id : null);
    return wrong.length === 0 ? null : `the response shows ${nameDifferences(wrong)}`;
}
function readBack(listed, target, plan) {
    const other = (what) => ({ kind: 'other', what });
    const finding = findRecord(listed, target.hostname, plan.body.type);
    if (finding.kind === 'cname')
        return other(`the name has a CNAME, which prevents an ${plan.body.type} record`);
    if (finding.kind === 'several')
        return finding;
    if (finding.kind === 'none')
        return plan.kind === 'create' ? { kind: 'old' } : other('the record is gone');
    const { record } = finding;
    if (plan.kind === 'update' && record.id !== plan.record.id) {
        return other(`the record is gone, and ${record.id} has replaced it`);
    }
    const wrong = differences(record, plan.body, null);
    if (wrong.length === 0)
        return { kind: 'new', record };
    if (record.readOnly)
        return other('the record is now managed by another product');
    const before = plan.kind === 'update' && differences(record, { ...plan.body, ...fieldsOf(plan.record) }, null);
    return before && before.length === 0 ? { kind: 'old' } : other(`it shows ${nameDifferences(wrong)}`);
}
function describeOther(found) {
    return found.kind === 'other'
        ? found.what
        : `the name has ${nameRecords(found.records)}; delete all but one`;
}
function fieldsOf({ content, ttl, proxied }) {
    return { content, ttl, proxied };
}
function outOfTime(target, plan, mayHaveHappened) {
    if (mayHaveHappened)
        return unconfirmed(target, plan, 'no time was left to repeat the write', 'request');
    const message = `No time was left to write ${target.hostname} and read it back, so nothing was written. The next run tries again. If ` +
        'this happens again, raise timeout.';
    return failed({ reason: 'deadline', message }, 'request');
}
function unconfirmed({ hostname }, plan, why, scope) {
    const [what, states] = plan.kind === 'update'
        ? [`update of ${hostname} from ${plan.record.content} to ${plan.body.content}`, 'hold either address']
        : [`creation of ${hostname} with ${plan.body.content}`, 'exist or not'];
    const message = `Could not confirm the ${what}: ${why}. The record may ${states}. The next run checks it; to check it now, run the ` +
        'workflow by hand.';
    return failed({ reason: 'write-unconfirmed', message }, scope);
}

;// CONCATENATED MODULE: ./action/round.ts









const noDns = {
    ask: async () => ({ kind: 'failure', detail: 'this run has no DNS client' }),
    addressesOf: async () => [],
    nameServersOf: async () => [],
};
const maxConcurrentWrites = 4;
async function runRound(settings, exchange, clock, { interfaces = () => ({}), dns = noDns, onProgress = () => { } } = {}) {
    const startMs = clock.now();
    let requests = 0;
    const counted = request => {
        requests++;
        return exchange(request);
    };
    const service = openService(settings, counted, startDeadline(settings.timeoutMs, clock), clock);
    const { detections, listings } = await look(settings, service, interfaces);
    const decisions = settings.targets.flatMap(target => detections.map(detection => decide(target, detection, listings.get(target.hostname), settings)));
    const checked = await checkCreations(decisions, service);
    const outcomes = await carryOut(checked, settings.dryRun, service, onProgress);
    const records = await verify(outcomes, settings, { ...service, dns });
    return {
        records,
        votes: detections.flatMap(({ type, votes }) => votes.map(vote => ({ ...vote, type }))),
        warnings: detections.flatMap(detection => (detection.kind === 'address' ? detection.warnings : [])),
        problem: null,
        requests,
        elapsedMs: clock.now() - startMs,
    };
}
async function look({ addresses, addressRules, targets }, service, interfaces) {
    const detecting = Promise.all(addresses.map(address => detectAddress(address, addressRules, { ...service, interfaces }).catch((error) => {
        const problem = (0,action_problem/* unhandledError */.U)(error, 'It wrote nothing');
        return { kind: 'none', type: address.type, votes: [], problem };
    })));
    const given = addresses.every(({ source }) => source.kind === 'given');
    const hopeless = given && (await detecting).every(({ kind }) => kind === 'none');
    const listing = hopeless ? new Map() : listTargets(service, targets);
    const [detections, listings] = await Promise.all([detecting, listing]);
    return { detections, listings };
}
async function carryOut(decisions, dryRun, service, onProgress) {
    const writes = decisions.filter(decision => decision.kind === 'write');
    let done = 0;
    const outcomes = await mapConcurrently(writes, maxConcurrentWrites, async (decision) => {
        const outcome = dryRun ? wouldWrite(decision) : await carryOutOne(decision, service);
        onProgress({ done: ++done, total: writes.length });
        return outcome;
    });
    const written = outcomes.values();
    return decisions.flatMap(decision => decision.kind === 'done' ? decision.outcome : (written.next().value ?? []));
}
async function carryOutOne({ slot, plan, notes }, service) {
    const written = await write(service, slot, plan);
    const planned = describePlan(slot, plan.body.content, plan);
    const known = {
        ...planned,
        recordId: written.record?.id ?? planned.recordId,
        written: written.record !== null,
    };
    if (written.kind === 'failed') {
        return { result: { ...known, result: 'failed', problem: written.problem }, confirmed: null };
    }
    const result = plan.kind === 'update' ? 'updated' : 'created';
    return {
        result: { ...known, result, notes: [...written.notes, ...notes] },
        confirmed: written.record,
    };
}
function wouldWrite({ slot, plan, notes }) {
    const result = plan.kind === 'update' ? 'would-update' : 'would-create';
    return { result: { ...describePlan(slot, plan.body.content, plan), result, notes }, confirmed: null };
}
async function verify(outcomes, { verify }, context) {
    if (verify.by === 'response')
        return outcomes.map(({ result }) => result);
    const records = outcomes.flatMap(({ result, confirmed }) => confirmed ? { ...result, address: confirmed.content, proxied: confirmed.proxied } : []);
    let verifications;
    try {
        verifications = await verifyServed(records, verify.servers, context);
    }
    catch (error) {
        const problem = (0,action_problem/* unhandledError */.U)(error, 'The service confirmed the record, but its name servers were not asked');
        verifications = records.map(() => ({ kind: 'failed', problem }));
    }
    const next = verifications.values();
    return outcomes.map(({ result, confirmed }) => {
        const verification = confirmed ? next.next().value : undefined;
        if (!verification)
            return result;
        if (verification.kind === 'served')
            return { ...result, servedBy: verification.servers };
        return { ...result, result: 'failed', problem: verification.problem };
    });
}


/***/ }),

/***/ 130:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   vm: () => (/* binding */ safely),
/* harmony export */   wB: () => (/* binding */ watch)
/* harmony export */ });
/* unused harmony export waitMs */
/* harmony import */ var _problem_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(654);
/* harmony import */ var _result_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(416);


const jitterShare = 0.1;
const maxBackOffMs = 15 * 60_000;
async function watch(schedule, round, exchange, clock, stop, onRound) {
    const endMs = schedule.forMs === null ? Number.POSITIVE_INFINITY : clock.now() + schedule.forMs;
    let watched = {
        last: (0,_result_js__WEBPACK_IMPORTED_MODULE_1__/* .withoutRound */ .xw)({
            reason: 'unexpected',
            message: 'Homeport was asked to stop before its first round was over. Nothing was written.',
        }),
        anyWritten: false,
        rounds: 0,
        failed: 0,
        maxLateMs: 0,
        requests: 0,
    };
    let failuresInARow = 0;
    for (let dueMs = clock.now(); !stop.aborted && dueMs < endMs;) {
        const startMs = clock.now();
        const guard = guardUntil(stop, exchange, clock);
        const result = await safely(() => round(guard.exchange, guard.clock));
        const requests = result.requests - guard.refusals();
        watched = { ...watched, requests: watched.requests + requests };
        if (guard.refusals() > 0 && !mayHaveWritten(result))
            break;
        const isFailed = (0,_result_js__WEBPACK_IMPORTED_MODULE_1__/* .overall */ .Me)(result) === 'failed';
        failuresInARow = isFailed ? failuresInARow + 1 : 0;
        watched = {
            ...watched,
            last: { ...result, requests },
            anyWritten: watched.anyWritten || result.records.some(({ written }) => written),
            rounds: watched.rounds + 1,
            failed: watched.failed + (isFailed ? 1 : 0),
            maxLateMs: Math.max(watched.maxLateMs, startMs - dueMs),
        };
        onRound(watched.last);
        dueMs = startMs + waitMs(schedule.intervalMs, failuresInARow, clock.random());
        if (dueMs < endMs)
            await clock.sleep(Math.max(0, dueMs - clock.now()), stop);
    }
    return watched;
}
function waitMs(intervalMs, failuresInARow, random) {
    const jitteredMs = intervalMs * (1 - jitterShare / 2 + jitterShare * random);
    const backOffMs = jitteredMs * 2 ** Math.min(16, Math.max(0, failuresInARow - 1));
    return Math.min(backOffMs, Math.max(jitteredMs, maxBackOffMs));
}
async function safely(round) {
    try {
        return await round();
    }
    catch (error) {
        return (0,_result_js__WEBPACK_IMPORTED_MODULE_1__/* .withoutRound */ .xw)((0,_problem_js__WEBPACK_IMPORTED_MODULE_0__/* .unhandledError */ .U)(error));
    }
}
function mayHaveWritten({ records }) {
    return records.some(({ written, problem }) => written || problem?.reason === 'write-unconfirmed');
}
function guardUntil(stop, exchange, clock) {
    let refusals = 0;
    const guarded = async (request) => {
        if (!stop.aborted)
            return exchange(request);
        refusals++;
        return { kind: 'failure', cause: 'aborted', detail: 'Homeport was asked to stop' };
    };
    return {
        exchange: guarded,
        clock: {
            ...clock,
            sleep: (ms, signal) => clock.sleep(ms, signal ? AbortSignal.any([signal, stop]) : stop),
        },
        refusals: () => refusals,
    };
}


/***/ }),

/***/ 24:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");

/***/ }),

/***/ 30:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:net");

/***/ }),

/***/ 161:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");

/***/ }),

/***/ 500:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers/promises");

/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		// no module.id needed
/******/ 		// no module.loaded needed
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/compat get default export */
/******/ (() => {
/******/ 	// getDefaultExport function for compatibility with non-harmony modules
/******/ 	__nccwpck_require__.n = (module) => {
/******/ 		var getter = module && module.__esModule ?
/******/ 			() => (module['default']) :
/******/ 			() => (module);
/******/ 		__nccwpck_require__.d(getter, { a: getter });
/******/ 		return getter;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(948);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
