#!/usr/bin/env node
import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 770:
/***/ ((module, __unused_webpack_exports, __nccwpck_require__) => {

module.exports = __nccwpck_require__(218);


/***/ }),

/***/ 218:
/***/ ((__unused_webpack_module, exports, __nccwpck_require__) => {

var __webpack_unused_export__;


var net = __nccwpck_require__(278);
var tls = __nccwpck_require__(756);
var http = __nccwpck_require__(611);
var https = __nccwpck_require__(692);
var events = __nccwpck_require__(434);
var assert = __nccwpck_require__(613);
var util = __nccwpck_require__(23);


exports.httpOverHttp = httpOverHttp;
exports.httpsOverHttp = httpsOverHttp;
exports.httpOverHttps = httpOverHttps;
exports.httpsOverHttps = httpsOverHttps;


function httpOverHttp(options) {
  var agent = new TunnelingAgent(options);
  agent.request = http.request;
  return agent;
}

function httpsOverHttp(options) {
  var agent = new TunnelingAgent(options);
  agent.request = http.request;
  agent.createSocket = createSecureSocket;
  agent.defaultPort = 443;
  return agent;
}

function httpOverHttps(options) {
  var agent = new TunnelingAgent(options);
  agent.request = https.request;
  return agent;
}

function httpsOverHttps(options) {
  var agent = new TunnelingAgent(options);
  agent.request = https.request;
  agent.createSocket = createSecureSocket;
  agent.defaultPort = 443;
  return agent;
}


function TunnelingAgent(options) {
  var self = this;
  self.options = options || {};
  self.proxyOptions = self.options.proxy || {};
  self.maxSockets = self.options.maxSockets || http.Agent.defaultMaxSockets;
  self.requests = [];
  self.sockets = [];

  self.on('free', function onFree(socket, host, port, localAddress) {
    var options = toOptions(host, port, localAddress);
    for (var i = 0, len = self.requests.length; i < len; ++i) {
      var pending = self.requests[i];
      if (pending.host === options.host && pending.port === options.port) {
        // Detect the request to connect same origin server,
        // reuse the connection.
        self.requests.splice(i, 1);
        pending.request.onSocket(socket);
        return;
      }
    }
    socket.destroy();
    self.removeSocket(socket);
  });
}
util.inherits(TunnelingAgent, events.EventEmitter);

TunnelingAgent.prototype.addRequest = function addRequest(req, host, port, localAddress) {
  var self = this;
  var options = mergeOptions({request: req}, self.options, toOptions(host, port, localAddress));

  if (self.sockets.length >= this.maxSockets) {
    // We are over limit so we'll add it to the queue.
    self.requests.push(options);
    return;
  }

  // If we are under maxSockets create a new one.
  self.createSocket(options, function(socket) {
    socket.on('free', onFree);
    socket.on('close', onCloseOrRemove);
    socket.on('agentRemove', onCloseOrRemove);
    req.onSocket(socket);

    function onFree() {
      self.emit('free', socket, options);
    }

    function onCloseOrRemove(err) {
      self.removeSocket(socket);
      socket.removeListener('free', onFree);
      socket.removeListener('close', onCloseOrRemove);
      socket.removeListener('agentRemove', onCloseOrRemove);
    }
  });
};

TunnelingAgent.prototype.createSocket = function createSocket(options, cb) {
  var self = this;
  var placeholder = {};
  self.sockets.push(placeholder);

  var connectOptions = mergeOptions({}, self.proxyOptions, {
    method: 'CONNECT',
    path: options.host + ':' + options.port,
    agent: false,
    headers: {
      host: options.host + ':' + options.port
    }
  });
  if (options.localAddress) {
    connectOptions.localAddress = options.localAddress;
  }
  if (connectOptions.proxyAuth) {
    connectOptions.headers = connectOptions.headers || {};
    connectOptions.headers['Proxy-Authorization'] = 'Basic ' +
        new Buffer(connectOptions.proxyAuth).toString('base64');
  }

  debug('making CONNECT request');
  var connectReq = self.request(connectOptions);
  connectReq.useChunkedEncodingByDefault = false; // for v0.6
  connectReq.once('response', onResponse); // for v0.6
  connectReq.once('upgrade', onUpgrade);   // for v0.6
  connectReq.once('connect', onConnect);   // for v0.7 or later
  connectReq.once('error', onError);
  connectReq.end();

  function onResponse(res) {
    // Very hacky. This is necessary to avoid http-parser leaks.
    res.upgrade = true;
  }

  function onUpgrade(res, socket, head) {
    // Hacky.
    process.nextTick(function() {
      onConnect(res, socket, head);
    });
  }

  function onConnect(res, socket, head) {
    connectReq.removeAllListeners();
    socket.removeAllListeners();

    if (res.statusCode !== 200) {
      debug('tunneling socket could not be established, statusCode=%d',
        res.statusCode);
      socket.destroy();
      var error = new Error('tunneling socket could not be established, ' +
        'statusCode=' + res.statusCode);
      error.code = 'ECONNRESET';
      options.request.emit('error', error);
      self.removeSocket(placeholder);
      return;
    }
    if (head.length > 0) {
      debug('got illegal response body from proxy');
      socket.destroy();
      var error = new Error('got illegal response body from proxy');
      error.code = 'ECONNRESET';
      options.request.emit('error', error);
      self.removeSocket(placeholder);
      return;
    }
    debug('tunneling connection has established');
    self.sockets[self.sockets.indexOf(placeholder)] = socket;
    return cb(socket);
  }

  function onError(cause) {
    connectReq.removeAllListeners();

    debug('tunneling socket could not be established, cause=%s\n',
          cause.message, cause.stack);
    var error = new Error('tunneling socket could not be established, ' +
                          'cause=' + cause.message);
    error.code = 'ECONNRESET';
    options.request.emit('error', error);
    self.removeSocket(placeholder);
  }
};

TunnelingAgent.prototype.removeSocket = function removeSocket(socket) {
  var pos = this.sockets.indexOf(socket)
  if (pos === -1) {
    return;
  }
  this.sockets.splice(pos, 1);

  var pending = this.requests.shift();
  if (pending) {
    // If we have pending requests and a socket gets closed a new one
    // needs to be created to take over in the pool for the one that closed.
    this.createSocket(pending, function(socket) {
      pending.request.onSocket(socket);
    });
  }
};

function createSecureSocket(options, cb) {
  var self = this;
  TunnelingAgent.prototype.createSocket.call(self, options, function(socket) {
    var hostHeader = options.request.getHeader('host');
    var tlsOptions = mergeOptions({}, self.options, {
      socket: socket,
      servername: hostHeader ? hostHeader.replace(/:.*$/, '') : options.host
    });

    // 0 is dummy port for v0.6
    var secureSocket = tls.connect(0, tlsOptions);
    self.sockets[self.sockets.indexOf(socket)] = secureSocket;
    cb(secureSocket);
  });
}


function toOptions(host, port, localAddress) {
  if (typeof host === 'string') { // since v0.10
    return {
      host: host,
      port: port,
      localAddress: localAddress
    };
  }
  return host; // for v0.11 or later
}

function mergeOptions(target) {
  for (var i = 1, len = arguments.length; i < len; ++i) {
    var overrides = arguments[i];
    if (typeof overrides === 'object') {
      var keys = Object.keys(overrides);
      for (var j = 0, keyLen = keys.length; j < keyLen; ++j) {
        var k = keys[j];
        if (overrides[k] !== undefined) {
          target[k] = overrides[k];
        }
      }
    }
  }
  return target;
}


var debug;
if (process.env.NODE_DEBUG && /\btunnel\b/.test(process.env.NODE_DEBUG)) {
  debug = function() {
    var args = Array.prototype.slice.call(arguments);
    if (typeof args[0] === 'string') {
      args[0] = 'TUNNEL: ' + args[0];
    } else {
      args.unshift('TUNNEL:');
    }
    console.error.apply(console, args);
  }
} else {
  debug = function() {};
}
__webpack_unused_export__ = debug; // for test


/***/ }),

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

/***/ 550:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  z: () => (/* binding */ answersFor),
  $: () => (/* binding */ askDns)
});

;// CONCATENATED MODULE: ./action/dns-message.ts
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

// EXTERNAL MODULE: ./action/records/hostname.ts + 1 modules
var hostname = __nccwpck_require__(164);
// EXTERNAL MODULE: ./action/report/quote.ts
var quote = __nccwpck_require__(456);
;// CONCATENATED MODULE: ./action/address/resolver.ts



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
            return { problem: `no ${type} record of ${(0,quote/* quote */.h)(name)}` };
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
    if ((0,hostname/* canonicalHostname */.G)(name) !== name)
        return { problem: `leads to ${(0,quote/* quote */.h)(name)}, which is no hostname` };
    const question = { id: 0, name, type, recursionDesired: true };
    const answer = await send({
        method: 'POST',
        url,
        headers: { Accept: mediaType, 'Content-Type': mediaType },
        body: Buffer.from(encodeQuery(question)).toString('latin1'),
        encoding: 'latin1',
        maxBytes: maxMessageBytes,
    });
    if (answer.kind === 'failure')
        return { problem: answer.detail };
    if (answer.status !== 200)
        return { problem: `answered ${answer.status} instead of 200` };
    if (answer.contentType !== mediaType)
        return { problem: `answered with something else than ${mediaType}` };
    const response = decodeResponse(Buffer.from(answer.body, 'latin1'), question);
    if (!response || response.truncated)
        return { problem: 'answered with a malformed DNS message' };
    const { rcode } = response;
    return rcode === 'NOERROR' ? response : { problem: refusals[rcode] ?? `answered with ${rcode}` };
}
function describe(finding) {
    if ('problem' in finding)
        return finding.problem;
    const { address, ttl, aliases } = finding;
    const way = aliases.length === 0 ? '' : ` by way of ${aliases.map(quote/* quote */.h).join(', ')}`;
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

/***/ 65:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   c: () => (/* binding */ exchange)
/* harmony export */ });
/* unused harmony export parseRetryAfter */
/* harmony import */ var _actions_http_client__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(83);
/* harmony import */ var _report_quote_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(456);


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
        const client = new _actions_http_client__WEBPACK_IMPORTED_MODULE_0__/* .HttpClient */ .Qq(userAgent, [connectionOptions(request, signal)], {
            allowRedirects: false,
            allowRetries: false,
        });
        const { message } = await client.request(request.method, request.url, request.body ?? null, {
            ...request.headers,
        });
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
function connectionOptions(request, signal) {
    return {
        prepareRequest(options) {
            options.signal = signal;
            options.host = options.host?.replace(/^\[|\]$/g, '') ?? null;
            const { agent } = options;
            if (typeof agent === 'object' && 'proxyOptions' in agent)
                Object.assign(agent.proxyOptions, { signal });
            if (request.family)
                options.family = request.family;
        },
        canHandleAuthentication: () => false,
        handleAuthentication: () => Promise.reject(new Error('no authentication handler is used')),
    };
}
function nameOf(error) {
    if (!(error instanceof Error))
        return 'unknown error';
    const { code } = error;
    return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : (0,_report_quote_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .h)(error.message);
}
function parseRetryAfter(value, nowMs) {
    if (value === undefined)
        return null;
    if (/^\d{1,9}$/.test(value))
        return Number(value) * 1000;
    const date = /^[A-Z][a-z]{2}, .{20,25} GMT$/.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
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

/***/ 963:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  s: () => (/* binding */ readSettings)
});

// EXTERNAL MODULE: ./node_modules/@actions/http-client/lib/index.js + 2 modules
var lib = __nccwpck_require__(83);
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
// EXTERNAL MODULE: ./action/address/resolver.ts + 1 modules
var resolver = __nccwpck_require__(550);
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
;// CONCATENATED MODULE: ./action/inputs/proxies.ts

function checkProxies(read, env) {
    for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
        const value = env[name];
        if (value && !isProxy(value)) {
            read.addProblem(name, 'is not the URL of an HTTP proxy, so requests would bypass it. Write it as http://host:port.');
        }
    }
}
function checkProxiedEchoes(read, addresses, { expectedCidrs }, proxyOf) {
    const proxied = addresses.flatMap(({ type, source }) => {
        const guarded = expectedCidrs.some(range => range.family === family/* families */.TJ[type].version);
        const sources = source.kind === 'given' || guarded ? [] : source.sources;
        return sources.flatMap(voter => (voter.kind === 'echo' && proxyOf(voter.url) !== '' ? voter.name : []));
    });
    if (proxied.length === 0)
        return;
    read.addProblem('address-sources', 'would be asked through https_proxy, so echo services would return the address of the proxy. Add them to no_proxy ' +
        `(${[...new Set(proxied)].join(',')}), or set expected-cidr to the ranges of your own address.`);
}
function isProxy(value) {
    const alone = URL.canParse(value) || value.includes('://');
    const text = alone ? value : `http://${value}`;
    const url = URL.canParse(text) ? new URL(text) : null;
    return (url !== null &&
        (url.protocol === 'http:' || url.protocol === 'https:') &&
        url.hostname !== '' &&
        isDecodable(url.username) &&
        isDecodable(url.password));
}
function isDecodable(text) {
    try {
        decodeURIComponent(text);
        return true;
    }
    catch {
        return false;
    }
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


const maxHostnames = 100;
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

;// CONCATENATED MODULE: ./action/inputs/settings.ts










const timeoutLimits = { minMs: 1000, maxMs: 15 * 60 * 1000, range: '1s to 15m' };
function readSettings(given, env, proxyOf = lib/* getProxyUrl */.s_) {
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
        baseUrl: readBaseUrl(read),
        timeoutMs: (0,reader/* readDuration */.$7)(read, 'timeout', timeoutLimits),
        schedule: readSchedule(read, given.mayBeEndless),
        heartbeatUrl: dryRun ? null : heartbeatUrl,
        maskAddress: (0,masking/* readMaskAddress */.z)(read, env),
    };
    const allowHostedRunner = (0,reader/* readBoolean */.Vf)(read, 'allow-hosted-runner');
    checkProxies(read, env);
    checkProxiedEchoes(read, settings.addresses, settings.addressRules, proxyOf);
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
/* harmony import */ var _heartbeat_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(257);
/* harmony import */ var _http_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(65);
/* harmony import */ var _inputs_command_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(708);
/* harmony import */ var _inputs_help_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(864);
/* harmony import */ var _inputs_masking_js__WEBPACK_IMPORTED_MODULE_7__ = __nccwpck_require__(371);
/* harmony import */ var _inputs_reader_js__WEBPACK_IMPORTED_MODULE_8__ = __nccwpck_require__(616);
/* harmony import */ var _inputs_settings_js__WEBPACK_IMPORTED_MODULE_9__ = __nccwpck_require__(963);
/* harmony import */ var _problem_js__WEBPACK_IMPORTED_MODULE_10__ = __nccwpck_require__(654);
/* harmony import */ var _report_report_js__WEBPACK_IMPORTED_MODULE_11__ = __nccwpck_require__(446);
/* harmony import */ var _report_runner_printer_js__WEBPACK_IMPORTED_MODULE_12__ = __nccwpck_require__(713);
/* harmony import */ var _report_terminal_printer_js__WEBPACK_IMPORTED_MODULE_16__ = __nccwpck_require__(535);
/* harmony import */ var _result_js__WEBPACK_IMPORTED_MODULE_13__ = __nccwpck_require__(416);
/* harmony import */ var _round_js__WEBPACK_IMPORTED_MODULE_14__ = __nccwpck_require__(966);
/* harmony import */ var _watch_js__WEBPACK_IMPORTED_MODULE_15__ = __nccwpck_require__(130);

















const lingerMs = 500;
const clock = {
    now: () => performance.now(),
    sleep: (ms, signal) => (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_2__.setTimeout)(ms, undefined, { signal }).catch(() => { }),
    random: Math.random,
};
let reported = false;
const { env } = process;
const printError = (message) => (0,_inputs_reader_js__WEBPACK_IMPORTED_MODULE_8__/* .isAction */ .ve)(env) ? (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeSync)(1, `::error title=Homeport::${message}\n`) : (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeSync)(2, `error: ${message}\n`);
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
    printError((0,_problem_js__WEBPACK_IMPORTED_MODULE_10__/* .unhandledError */ .U)(error).message);
    process.exit(1);
});
const command = (0,_inputs_reader_js__WEBPACK_IMPORTED_MODULE_8__/* .isAction */ .ve)(env) ? null : (0,_inputs_command_js__WEBPACK_IMPORTED_MODULE_5__/* .commandInputs */ .t)(process.argv.slice(2), env);
const given = command?.given ?? (0,_inputs_reader_js__WEBPACK_IMPORTED_MODULE_8__/* .actionInputs */ .eh)(env);
const printer = command ? (0,_report_terminal_printer_js__WEBPACK_IMPORTED_MODULE_16__/* .terminalPrinter */ .N)(command.options.json) : (0,_report_runner_printer_js__WEBPACK_IMPORTED_MODULE_12__/* .runnerPrinter */ .T)(env['GITHUB_STEP_SUMMARY']);
if (command?.options.help || command?.options.version) {
    process.stdout.write(command.options.help ? (0,_inputs_help_js__WEBPACK_IMPORTED_MODULE_6__/* .helpText */ .B)() : `homeport ${_inputs_help_js__WEBPACK_IMPORTED_MODULE_6__/* .version */ .r}\n`);
}
else {
    await run();
}
reported = true;
setTimeout(() => process.stdout.write('', () => process.exit()), lingerMs).unref();
async function run() {
    const report = (0,_report_report_js__WEBPACK_IMPORTED_MODULE_11__/* .createReport */ .L)(printer);
    report.mask((0,_inputs_masking_js__WEBPACK_IMPORTED_MODULE_7__/* .givenSecrets */ .B)(given));
    try {
        const reading = (0,_inputs_settings_js__WEBPACK_IMPORTED_MODULE_9__/* .readSettings */ .s)(given, env);
        if (reading.kind === 'refused') {
            report.finish((0,_result_js__WEBPACK_IMPORTED_MODULE_13__/* .withoutRound */ .xw)(reading.problem));
        }
        else {
            const { settings } = reading;
            report.start(settings);
            const round = (through, at) => (0,_heartbeat_js__WEBPACK_IMPORTED_MODULE_3__/* .withHeartbeat */ .p)(settings.heartbeatUrl, () => (0,_watch_js__WEBPACK_IMPORTED_MODULE_15__/* .safely */ .vm)(() => (0,_round_js__WEBPACK_IMPORTED_MODULE_14__/* .runRound */ .m)(settings, through, at, node_os__WEBPACK_IMPORTED_MODULE_1__.networkInterfaces)), _http_js__WEBPACK_IMPORTED_MODULE_4__/* .exchange */ .c, () => stop.signal.aborted);
            if (settings.schedule) {
                isWatching = true;
                report.finishWatch(await (0,_watch_js__WEBPACK_IMPORTED_MODULE_15__/* .watch */ .wB)(settings.schedule, round, _http_js__WEBPACK_IMPORTED_MODULE_4__/* .exchange */ .c, clock, stop.signal, report.round));
            }
            else {
                report.finish(await round(_http_js__WEBPACK_IMPORTED_MODULE_4__/* .exchange */ .c, clock));
            }
        }
    }
    catch (error) {
        report.finish((0,_result_js__WEBPACK_IMPORTED_MODULE_13__/* .withoutRound */ .xw)((0,_problem_js__WEBPACK_IMPORTED_MODULE_10__/* .unhandledError */ .U)(error)));
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
    'rate-limited',
    'service-unavailable',
    'deadline',
    'unexpected',
]));
function unhandledError(error) {
    const what = error instanceof Error ? (0,_report_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quote */ .h)(`${error.name}: ${error.message}`) : 'an unknown error';
    return {
        reason: 'unexpected',
        message: `Homeport stopped on ${what}. It may have written records before. Run it again to check them, and report this.`,
    };
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
        changed: String(round.records.some(action_result/* isWritten */.QH)),
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
        changed: (0,action_result/* isWritten */.QH)(record),
        address: record.address,
        'previous-address': record.previousAddress,
        'record-id': record.recordId,
        drift: record.drift,
        reason: record.problem?.reason ?? null,
        message: record.problem ? (0,redact/* redactSecrets */.fp)(record.problem.message) : null,
    };
}

;// CONCATENATED MODULE: ./action/report/sentences.ts
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
    const names = planned.map(({ hostname }) => hostname).join(', ');
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
    return ((0,action_result/* isWritten */.QH)(record) ? address : previousAddress) ?? '–';
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
            const names = targets.map(target => target.hostname).join(', ');
            for (const { type, source } of addresses) {
                log(source.kind === 'given'
                    ? `Checking ${names} (${type}) against the given address ${source.address}.`
                    : `Checking ${names} (${type}) against the detected address. Quorum: ${source.quorum} of ` +
                        `${source.sources.length} sources.`);
            }
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

/***/ 713:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  T: () => (/* binding */ runnerPrinter)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __nccwpck_require__(24);
;// CONCATENATED MODULE: external "os"
const external_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("os");
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/utils.js
// We use any as a valid input type
/* eslint-disable @typescript-eslint/no-explicit-any */
/**
 * Sanitizes an input into a string so it can be passed into issueCommand safely
 * @param input input to sanitize into a string
 */
function utils_toCommandValue(input) {
    if (input === null || input === undefined) {
        return '';
    }
    else if (typeof input === 'string' || input instanceof String) {
        return input;
    }
    return JSON.stringify(input);
}
/**
 *
 * @param annotationProperties
 * @returns The command properties to send with the actual annotation command
 * See IssueCommandProperties: https://github.com/actions/runner/blob/main/src/Runner.Worker/ActionCommandManager.cs#L646
 */
function utils_toCommandProperties(annotationProperties) {
    if (!Object.keys(annotationProperties).length) {
        return {};
    }
    return {
        title: annotationProperties.title,
        file: annotationProperties.file,
        line: annotationProperties.startLine,
        endLine: annotationProperties.endLine,
        col: annotationProperties.startColumn,
        endColumn: annotationProperties.endColumn
    };
}
//# sourceMappingURL=utils.js.map
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/command.js


/**
 * Issues a command to the GitHub Actions runner
 *
 * @param command - The command name to issue
 * @param properties - Additional properties for the command (key-value pairs)
 * @param message - The message to include with the command
 * @remarks
 * This function outputs a specially formatted string to stdout that the Actions
 * runner interprets as a command. These commands can control workflow behavior,
 * set outputs, create annotations, mask values, and more.
 *
 * Command Format:
 *   ::name key=value,key=value::message
 *
 * @example
 * ```typescript
 * // Issue a warning annotation
 * issueCommand('warning', {}, 'This is a warning message');
 * // Output: ::warning::This is a warning message
 *
 * // Set an environment variable
 * issueCommand('set-env', { name: 'MY_VAR' }, 'some value');
 * // Output: ::set-env name=MY_VAR::some value
 *
 * // Add a secret mask
 * issueCommand('add-mask', {}, 'secretValue123');
 * // Output: ::add-mask::secretValue123
 * ```
 *
 * @internal
 * This is an internal utility function that powers the public API functions
 * such as setSecret, warning, error, and exportVariable.
 */
function command_issueCommand(command, properties, message) {
    const cmd = new Command(command, properties, message);
    process.stdout.write(cmd.toString() + external_os_namespaceObject.EOL);
}
function command_issue(name, message = '') {
    command_issueCommand(name, {}, message);
}
const CMD_STRING = '::';
class Command {
    constructor(command, properties, message) {
        if (!command) {
            command = 'missing.command';
        }
        this.command = command;
        this.properties = properties;
        this.message = message;
    }
    toString() {
        let cmdStr = CMD_STRING + this.command;
        if (this.properties && Object.keys(this.properties).length > 0) {
            cmdStr += ' ';
            let first = true;
            for (const key in this.properties) {
                if (this.properties.hasOwnProperty(key)) {
                    const val = this.properties[key];
                    if (val) {
                        if (first) {
                            first = false;
                        }
                        else {
                            cmdStr += ',';
                        }
                        cmdStr += `${key}=${escapeProperty(val)}`;
                    }
                }
            }
        }
        cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
        return cmdStr;
    }
}
function escapeData(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A');
}
function escapeProperty(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A')
        .replace(/:/g, '%3A')
        .replace(/,/g, '%2C');
}
//# sourceMappingURL=command.js.map
;// CONCATENATED MODULE: external "crypto"
const external_crypto_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("crypto");
;// CONCATENATED MODULE: external "fs"
const external_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("fs");
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/file-command.js
// For internal use, subject to change.
// We use any as a valid input type
/* eslint-disable @typescript-eslint/no-explicit-any */




function file_command_issueFileCommand(command, message) {
    const filePath = process.env[`GITHUB_${command}`];
    if (!filePath) {
        throw new Error(`Unable to find environment variable for file command ${command}`);
    }
    if (!external_fs_namespaceObject.existsSync(filePath)) {
        throw new Error(`Missing file at path: ${filePath}`);
    }
    external_fs_namespaceObject.appendFileSync(filePath, `${utils_toCommandValue(message)}${external_os_namespaceObject.EOL}`, {
        encoding: 'utf8'
    });
}
function file_command_prepareKeyValueMessage(key, value) {
    const delimiter = `ghadelimiter_${external_crypto_namespaceObject.randomUUID()}`;
    const convertedValue = utils_toCommandValue(value);
    // These should realistically never happen, but just in case someone finds a
    // way to exploit uuid generation let's not allow keys or values that contain
    // the delimiter.
    if (key.includes(delimiter)) {
        throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
    }
    if (convertedValue.includes(delimiter)) {
        throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
    }
    return `${key}<<${delimiter}${external_os_namespaceObject.EOL}${convertedValue}${external_os_namespaceObject.EOL}${delimiter}`;
}
//# sourceMappingURL=file-command.js.map
;// CONCATENATED MODULE: external "path"
const external_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("path");
// EXTERNAL MODULE: ./node_modules/@actions/http-client/lib/index.js + 2 modules
var lib = __nccwpck_require__(83);
;// CONCATENATED MODULE: ./node_modules/@actions/http-client/lib/auth.js
var __awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};
class BasicCredentialHandler {
    constructor(username, password) {
        this.username = username;
        this.password = password;
    }
    prepareRequest(options) {
        if (!options.headers) {
            throw Error('The request has no headers');
        }
        options.headers['Authorization'] = `Basic ${Buffer.from(`${this.username}:${this.password}`).toString('base64')}`;
    }
    // This handler cannot handle 401
    canHandleAuthentication() {
        return false;
    }
    handleAuthentication() {
        return __awaiter(this, void 0, void 0, function* () {
            throw new Error('not implemented');
        });
    }
}
class auth_BearerCredentialHandler {
    constructor(token) {
        this.token = token;
    }
    // currently implements pre-authorization
    // TODO: support preAuth = false where it hooks on 401
    prepareRequest(options) {
        if (!options.headers) {
            throw Error('The request has no headers');
        }
        options.headers['Authorization'] = `Bearer ${this.token}`;
    }
    // This handler cannot handle 401
    canHandleAuthentication() {
        return false;
    }
    handleAuthentication() {
        return __awaiter(this, void 0, void 0, function* () {
            throw new Error('not implemented');
        });
    }
}
class PersonalAccessTokenCredentialHandler {
    constructor(token) {
        this.token = token;
    }
    // currently implements pre-authorization
    // TODO: support preAuth = false where it hooks on 401
    prepareRequest(options) {
        if (!options.headers) {
            throw Error('The request has no headers');
        }
        options.headers['Authorization'] = `Basic ${Buffer.from(`PAT:${this.token}`).toString('base64')}`;
    }
    // This handler cannot handle 401
    canHandleAuthentication() {
        return false;
    }
    handleAuthentication() {
        return __awaiter(this, void 0, void 0, function* () {
            throw new Error('not implemented');
        });
    }
}
//# sourceMappingURL=auth.js.map
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/oidc-utils.js
var oidc_utils_awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};



class oidc_utils_OidcClient {
    static createHttpClient(allowRetry = true, maxRetry = 10) {
        const requestOptions = {
            allowRetries: allowRetry,
            maxRetries: maxRetry
        };
        return new HttpClient('actions/oidc-client', [new BearerCredentialHandler(oidc_utils_OidcClient.getRequestToken())], requestOptions);
    }
    static getRequestToken() {
        const token = process.env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
        if (!token) {
            throw new Error('Unable to get ACTIONS_ID_TOKEN_REQUEST_TOKEN env variable');
        }
        return token;
    }
    static getIDTokenUrl() {
        const runtimeUrl = process.env['ACTIONS_ID_TOKEN_REQUEST_URL'];
        if (!runtimeUrl) {
            throw new Error('Unable to get ACTIONS_ID_TOKEN_REQUEST_URL env variable');
        }
        return runtimeUrl;
    }
    static getCall(id_token_url) {
        return oidc_utils_awaiter(this, void 0, void 0, function* () {
            var _a;
            const httpclient = oidc_utils_OidcClient.createHttpClient();
            const res = yield httpclient
                .getJson(id_token_url)
                .catch(error => {
                throw new Error(`Failed to get ID Token. \n 
        Error Code : ${error.statusCode}\n 
        Error Message: ${error.message}`);
            });
            const id_token = (_a = res.result) === null || _a === void 0 ? void 0 : _a.value;
            if (!id_token) {
                throw new Error('Response json body do not have ID Token field');
            }
            return id_token;
        });
    }
    static getIDToken(audience) {
        return oidc_utils_awaiter(this, void 0, void 0, function* () {
            try {
                // New ID Token is requested from action service
                let id_token_url = oidc_utils_OidcClient.getIDTokenUrl();
                if (audience) {
                    const encodedAudience = encodeURIComponent(audience);
                    id_token_url = `${id_token_url}&audience=${encodedAudience}`;
                }
                debug(`ID token url is ${id_token_url}`);
                const id_token = yield oidc_utils_OidcClient.getCall(id_token_url);
                setSecret(id_token);
                return id_token;
            }
            catch (error) {
                throw new Error(`Error message: ${error.message}`);
            }
        });
    }
}
//# sourceMappingURL=oidc-utils.js.map
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/summary.js
var summary_awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};


const { access, appendFile, writeFile } = external_fs_namespaceObject.promises;
const SUMMARY_ENV_VAR = 'GITHUB_STEP_SUMMARY';
const SUMMARY_DOCS_URL = 'https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions#adding-a-job-summary';
class Summary {
    constructor() {
        this._buffer = '';
    }
    /**
     * Finds the summary file path from the environment, rejects if env var is not found or file does not exist
     * Also checks r/w permissions.
     *
     * @returns step summary file path
     */
    filePath() {
        return summary_awaiter(this, void 0, void 0, function* () {
            if (this._filePath) {
                return this._filePath;
            }
            const pathFromEnv = process.env[SUMMARY_ENV_VAR];
            if (!pathFromEnv) {
                throw new Error(`Unable to find environment variable for $${SUMMARY_ENV_VAR}. Check if your runtime environment supports job summaries.`);
            }
            try {
                yield access(pathFromEnv, external_fs_namespaceObject.constants.R_OK | external_fs_namespaceObject.constants.W_OK);
            }
            catch (_a) {
                throw new Error(`Unable to access summary file: '${pathFromEnv}'. Check if the file has correct read/write permissions.`);
            }
            this._filePath = pathFromEnv;
            return this._filePath;
        });
    }
    /**
     * Wraps content in an HTML tag, adding any HTML attributes
     *
     * @param {string} tag HTML tag to wrap
     * @param {string | null} content content within the tag
     * @param {[attribute: string]: string} attrs key-value list of HTML attributes to add
     *
     * @returns {string} content wrapped in HTML element
     */
    wrap(tag, content, attrs = {}) {
        const htmlAttrs = Object.entries(attrs)
            .map(([key, value]) => ` ${key}="${value}"`)
            .join('');
        if (!content) {
            return `<${tag}${htmlAttrs}>`;
        }
        return `<${tag}${htmlAttrs}>${content}</${tag}>`;
    }
    /**
     * Writes text in the buffer to the summary buffer file and empties buffer. Will append by default.
     *
     * @param {SummaryWriteOptions} [options] (optional) options for write operation
     *
     * @returns {Promise<Summary>} summary instance
     */
    write(options) {
        return summary_awaiter(this, void 0, void 0, function* () {
            const overwrite = !!(options === null || options === void 0 ? void 0 : options.overwrite);
            const filePath = yield this.filePath();
            const writeFunc = overwrite ? writeFile : appendFile;
            yield writeFunc(filePath, this._buffer, { encoding: 'utf8' });
            return this.emptyBuffer();
        });
    }
    /**
     * Clears the summary buffer and wipes the summary file
     *
     * @returns {Summary} summary instance
     */
    clear() {
        return summary_awaiter(this, void 0, void 0, function* () {
            return this.emptyBuffer().write({ overwrite: true });
        });
    }
    /**
     * Returns the current summary buffer as a string
     *
     * @returns {string} string of summary buffer
     */
    stringify() {
        return this._buffer;
    }
    /**
     * If the summary buffer is empty
     *
     * @returns {boolen} true if the buffer is empty
     */
    isEmptyBuffer() {
        return this._buffer.length === 0;
    }
    /**
     * Resets the summary buffer without writing to summary file
     *
     * @returns {Summary} summary instance
     */
    emptyBuffer() {
        this._buffer = '';
        return this;
    }
    /**
     * Adds raw text to the summary buffer
     *
     * @param {string} text content to add
     * @param {boolean} [addEOL=false] (optional) append an EOL to the raw text (default: false)
     *
     * @returns {Summary} summary instance
     */
    addRaw(text, addEOL = false) {
        this._buffer += text;
        return addEOL ? this.addEOL() : this;
    }
    /**
     * Adds the operating system-specific end-of-line marker to the buffer
     *
     * @returns {Summary} summary instance
     */
    addEOL() {
        return this.addRaw(external_os_namespaceObject.EOL);
    }
    /**
     * Adds an HTML codeblock to the summary buffer
     *
     * @param {string} code content to render within fenced code block
     * @param {string} lang (optional) language to syntax highlight code
     *
     * @returns {Summary} summary instance
     */
    addCodeBlock(code, lang) {
        const attrs = Object.assign({}, (lang && { lang }));
        const element = this.wrap('pre', this.wrap('code', code), attrs);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML list to the summary buffer
     *
     * @param {string[]} items list of items to render
     * @param {boolean} [ordered=false] (optional) if the rendered list should be ordered or not (default: false)
     *
     * @returns {Summary} summary instance
     */
    addList(items, ordered = false) {
        const tag = ordered ? 'ol' : 'ul';
        const listItems = items.map(item => this.wrap('li', item)).join('');
        const element = this.wrap(tag, listItems);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML table to the summary buffer
     *
     * @param {SummaryTableCell[]} rows table rows
     *
     * @returns {Summary} summary instance
     */
    addTable(rows) {
        const tableBody = rows
            .map(row => {
            const cells = row
                .map(cell => {
                if (typeof cell === 'string') {
                    return this.wrap('td', cell);
                }
                const { header, data, colspan, rowspan } = cell;
                const tag = header ? 'th' : 'td';
                const attrs = Object.assign(Object.assign({}, (colspan && { colspan })), (rowspan && { rowspan }));
                return this.wrap(tag, data, attrs);
            })
                .join('');
            return this.wrap('tr', cells);
        })
            .join('');
        const element = this.wrap('table', tableBody);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds a collapsable HTML details element to the summary buffer
     *
     * @param {string} label text for the closed state
     * @param {string} content collapsable content
     *
     * @returns {Summary} summary instance
     */
    addDetails(label, content) {
        const element = this.wrap('details', this.wrap('summary', label) + content);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML image tag to the summary buffer
     *
     * @param {string} src path to the image you to embed
     * @param {string} alt text description of the image
     * @param {SummaryImageOptions} options (optional) addition image attributes
     *
     * @returns {Summary} summary instance
     */
    addImage(src, alt, options) {
        const { width, height } = options || {};
        const attrs = Object.assign(Object.assign({}, (width && { width })), (height && { height }));
        const element = this.wrap('img', null, Object.assign({ src, alt }, attrs));
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML section heading element
     *
     * @param {string} text heading text
     * @param {number | string} [level=1] (optional) the heading level, default: 1
     *
     * @returns {Summary} summary instance
     */
    addHeading(text, level) {
        const tag = `h${level}`;
        const allowedTag = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].includes(tag)
            ? tag
            : 'h1';
        const element = this.wrap(allowedTag, text);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML thematic break (<hr>) to the summary buffer
     *
     * @returns {Summary} summary instance
     */
    addSeparator() {
        const element = this.wrap('hr', null);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML line break (<br>) to the summary buffer
     *
     * @returns {Summary} summary instance
     */
    addBreak() {
        const element = this.wrap('br', null);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML blockquote to the summary buffer
     *
     * @param {string} text quote text
     * @param {string} cite (optional) citation url
     *
     * @returns {Summary} summary instance
     */
    addQuote(text, cite) {
        const attrs = Object.assign({}, (cite && { cite }));
        const element = this.wrap('blockquote', text, attrs);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML anchor tag to the summary buffer
     *
     * @param {string} text link text/content
     * @param {string} href hyperlink
     *
     * @returns {Summary} summary instance
     */
    addLink(text, href) {
        const element = this.wrap('a', text, { href });
        return this.addRaw(element).addEOL();
    }
}
const _summary = new Summary();
/**
 * @deprecated use `core.summary`
 */
const markdownSummary = (/* unused pure expression or super */ null && (_summary));
const summary = (/* unused pure expression or super */ null && (_summary));
//# sourceMappingURL=summary.js.map
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/path-utils.js

/**
 * toPosixPath converts the given path to the posix form. On Windows, \\ will be
 * replaced with /.
 *
 * @param pth. Path to transform.
 * @return string Posix path.
 */
function toPosixPath(pth) {
    return pth.replace(/[\\]/g, '/');
}
/**
 * toWin32Path converts the given path to the win32 form. On Linux, / will be
 * replaced with \\.
 *
 * @param pth. Path to transform.
 * @return string Win32 path.
 */
function toWin32Path(pth) {
    return pth.replace(/[/]/g, '\\');
}
/**
 * toPlatformPath converts the given path to a platform-specific path. It does
 * this by replacing instances of / and \ with the platform-specific path
 * separator.
 *
 * @param pth The path to platformize.
 * @return string The platform-specific path.
 */
function toPlatformPath(pth) {
    return pth.replace(/[/\\]/g, path.sep);
}
//# sourceMappingURL=path-utils.js.map
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/platform.js
var platform_awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};


const getWindowsInfo = () => platform_awaiter(void 0, void 0, void 0, function* () {
    const { stdout: version } = yield exec.getExecOutput('powershell -command "(Get-CimInstance -ClassName Win32_OperatingSystem).Version"', undefined, {
        silent: true
    });
    const { stdout: name } = yield exec.getExecOutput('powershell -command "(Get-CimInstance -ClassName Win32_OperatingSystem).Caption"', undefined, {
        silent: true
    });
    return {
        name: name.trim(),
        version: version.trim()
    };
});
const getMacOsInfo = () => platform_awaiter(void 0, void 0, void 0, function* () {
    var _a, _b, _c, _d;
    const { stdout } = yield exec.getExecOutput('sw_vers', undefined, {
        silent: true
    });
    const version = (_b = (_a = stdout.match(/ProductVersion:\s*(.+)/)) === null || _a === void 0 ? void 0 : _a[1]) !== null && _b !== void 0 ? _b : '';
    const name = (_d = (_c = stdout.match(/ProductName:\s*(.+)/)) === null || _c === void 0 ? void 0 : _c[1]) !== null && _d !== void 0 ? _d : '';
    return {
        name,
        version
    };
});
const getLinuxInfo = () => platform_awaiter(void 0, void 0, void 0, function* () {
    const { stdout } = yield exec.getExecOutput('lsb_release', ['-i', '-r', '-s'], {
        silent: true
    });
    const [name, version] = stdout.trim().split('\n');
    return {
        name,
        version
    };
});
const platform = external_os_namespaceObject.platform();
const arch = external_os_namespaceObject.arch();
const isWindows = platform === 'win32';
const isMacOS = platform === 'darwin';
const isLinux = platform === 'linux';
function getDetails() {
    return platform_awaiter(this, void 0, void 0, function* () {
        return Object.assign(Object.assign({}, (yield (isWindows
            ? getWindowsInfo()
            : isMacOS
                ? getMacOsInfo()
                : getLinuxInfo()))), { platform,
            arch,
            isWindows,
            isMacOS,
            isLinux });
    });
}
//# sourceMappingURL=platform.js.map
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/core.js
var core_awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};






/**
 * The code to exit an action
 */
var ExitCode;
(function (ExitCode) {
    /**
     * A code indicating that the action was successful
     */
    ExitCode[ExitCode["Success"] = 0] = "Success";
    /**
     * A code indicating that the action was a failure
     */
    ExitCode[ExitCode["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
//-----------------------------------------------------------------------
// Variables
//-----------------------------------------------------------------------
/**
 * Sets env variable for this action and future actions in the job
 * @param name the name of the variable to set
 * @param val the value of the variable. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function exportVariable(name, val) {
    const convertedVal = toCommandValue(val);
    process.env[name] = convertedVal;
    const filePath = process.env['GITHUB_ENV'] || '';
    if (filePath) {
        return issueFileCommand('ENV', prepareKeyValueMessage(name, val));
    }
    issueCommand('set-env', { name }, convertedVal);
}
/**
 * Registers a secret which will get masked from logs
 *
 * @param secret - Value of the secret to be masked
 * @remarks
 * This function instructs the Actions runner to mask the specified value in any
 * logs produced during the workflow run. Once registered, the secret value will
 * be replaced with asterisks (***) whenever it appears in console output, logs,
 * or error messages.
 *
 * This is useful for protecting sensitive information such as:
 * - API keys
 * - Access tokens
 * - Authentication credentials
 * - URL parameters containing signatures (SAS tokens)
 *
 * Note that masking only affects future logs; any previous appearances of the
 * secret in logs before calling this function will remain unmasked.
 *
 * @example
 * ```typescript
 * // Register an API token as a secret
 * const apiToken = "abc123xyz456";
 * setSecret(apiToken);
 *
 * // Now any logs containing this value will show *** instead
 * console.log(`Using token: ${apiToken}`); // Outputs: "Using token: ***"
 * ```
 */
function core_setSecret(secret) {
    command_issueCommand('add-mask', {}, secret);
}
/**
 * Prepends inputPath to the PATH (for this action and future actions)
 * @param inputPath
 */
function addPath(inputPath) {
    const filePath = process.env['GITHUB_PATH'] || '';
    if (filePath) {
        issueFileCommand('PATH', inputPath);
    }
    else {
        issueCommand('add-path', {}, inputPath);
    }
    process.env['PATH'] = `${inputPath}${path.delimiter}${process.env['PATH']}`;
}
/**
 * Gets the value of an input.
 * Unless trimWhitespace is set to false in InputOptions, the value is also trimmed.
 * Returns an empty string if the value is not defined.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string
 */
function getInput(name, options) {
    const val = process.env[`INPUT_${name.replace(/ /g, '_').toUpperCase()}`] || '';
    if (options && options.required && !val) {
        throw new Error(`Input required and not supplied: ${name}`);
    }
    if (options && options.trimWhitespace === false) {
        return val;
    }
    return val.trim();
}
/**
 * Gets the values of an multiline input.  Each value is also trimmed.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string[]
 *
 */
function getMultilineInput(name, options) {
    const inputs = getInput(name, options)
        .split('\n')
        .filter(x => x !== '');
    if (options && options.trimWhitespace === false) {
        return inputs;
    }
    return inputs.map(input => input.trim());
}
/**
 * Gets the input value of the boolean type in the YAML 1.2 "core schema" specification.
 * Support boolean input list: `true | True | TRUE | false | False | FALSE` .
 * The return value is also in boolean type.
 * ref: https://yaml.org/spec/1.2/spec.html#id2804923
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   boolean
 */
function getBooleanInput(name, options) {
    const trueValue = ['true', 'True', 'TRUE'];
    const falseValue = ['false', 'False', 'FALSE'];
    const val = getInput(name, options);
    if (trueValue.includes(val))
        return true;
    if (falseValue.includes(val))
        return false;
    throw new TypeError(`Input does not meet YAML 1.2 "Core Schema" specification: ${name}\n` +
        `Support boolean input list: \`true | True | TRUE | false | False | FALSE\``);
}
/**
 * Sets the value of an output.
 *
 * @param     name     name of the output to set
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function setOutput(name, value) {
    const filePath = process.env['GITHUB_OUTPUT'] || '';
    if (filePath) {
        return file_command_issueFileCommand('OUTPUT', file_command_prepareKeyValueMessage(name, value));
    }
    process.stdout.write(external_os_namespaceObject.EOL);
    command_issueCommand('set-output', { name }, utils_toCommandValue(value));
}
/**
 * Enables or disables the echoing of commands into stdout for the rest of the step.
 * Echoing is disabled by default if ACTIONS_STEP_DEBUG is not set.
 *
 */
function setCommandEcho(enabled) {
    issue('echo', enabled ? 'on' : 'off');
}
//-----------------------------------------------------------------------
// Results
//-----------------------------------------------------------------------
/**
 * Sets the action status to failed.
 * When the action exits it will be with an exit code of 1
 * @param message add error issue message
 */
function setFailed(message) {
    process.exitCode = ExitCode.Failure;
    core_error(message);
}
//-----------------------------------------------------------------------
// Logging Commands
//-----------------------------------------------------------------------
/**
 * Gets whether Actions Step Debug is on or not
 */
function isDebug() {
    return process.env['RUNNER_DEBUG'] === '1';
}
/**
 * Writes debug message to user log
 * @param message debug message
 */
function core_debug(message) {
    issueCommand('debug', {}, message);
}
/**
 * Adds an error issue
 * @param message error issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function core_error(message, properties = {}) {
    command_issueCommand('error', utils_toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a warning issue
 * @param message warning issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function core_warning(message, properties = {}) {
    command_issueCommand('warning', utils_toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a notice issue
 * @param message notice issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function notice(message, properties = {}) {
    issueCommand('notice', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Writes info to log with console.log.
 * @param message info message
 */
function info(message) {
    process.stdout.write(message + external_os_namespaceObject.EOL);
}
/**
 * Begin an output group.
 *
 * Output until the next `groupEnd` will be foldable in this group
 *
 * @param name The name of the output group
 */
function startGroup(name) {
    issue('group', name);
}
/**
 * End an output group.
 */
function endGroup() {
    issue('endgroup');
}
/**
 * Wrap an asynchronous function call in a group.
 *
 * Returns the same type as the function itself.
 *
 * @param name The name of the group
 * @param fn The function to wrap in the group
 */
function group(name, fn) {
    return core_awaiter(this, void 0, void 0, function* () {
        startGroup(name);
        let result;
        try {
            result = yield fn();
        }
        finally {
            endGroup();
        }
        return result;
    });
}
//-----------------------------------------------------------------------
// Wrapper action state
//-----------------------------------------------------------------------
/**
 * Saves state for current action, the state can only be retrieved by this action's post job execution.
 *
 * @param     name     name of the state to store
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function saveState(name, value) {
    const filePath = process.env['GITHUB_STATE'] || '';
    if (filePath) {
        return issueFileCommand('STATE', prepareKeyValueMessage(name, value));
    }
    issueCommand('save-state', { name }, toCommandValue(value));
}
/**
 * Gets the value of an state set by this action's main execution.
 *
 * @param     name     name of the state to get
 * @returns   string
 */
function getState(name) {
    return process.env[`STATE_${name}`] || '';
}
function getIDToken(aud) {
    return core_awaiter(this, void 0, void 0, function* () {
        return yield OidcClient.getIDToken(aud);
    });
}
/**
 * Summary exports
 */

/**
 * @deprecated use core.summary
 */

/**
 * Path exports
 */

/**
 * Platform utilities exports
 */

//# sourceMappingURL=core.js.map
;// CONCATENATED MODULE: ./action/report/runner-printer.ts


const title = 'Homeport';
function runnerPrinter(summaryFile) {
    const warning = (text) => core_warning(text, { title });
    const error = (text, reason) => core_error(text, { title: reason ? `${title}: ${reason}` : title });
    return {
        publishesRounds: false,
        secret: core_setSecret,
        line: info,
        warning,
        error,
        publish(outputs, summary, result) {
            const lostOutputs = failureOf(() => {
                for (const [name, value] of Object.entries(outputs))
                    setOutput(name, value);
            });
            if (lostOutputs) {
                error(`Failed to write the outputs (${lostOutputs}), so later steps do not get them. The result is ${result}; the log ` +
                    'shows each record. Check the disk of the runner.');
            }
            const lostSummary = summaryFile && failureOf(() => (0,external_node_fs_.appendFileSync)(summaryFile, summary()));
            if (lostSummary) {
                warning(`Failed to write the job summary (${lostSummary}). The result is not affected.`);
            }
            return lostOutputs === null;
        },
    };
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
/* harmony export */   QH: () => (/* binding */ isWritten),
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
function isWritten({ result }) {
    return result === 'updated' || result === 'created';
}


/***/ }),

/***/ 966:
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
// EXTERNAL MODULE: ./action/address/resolver.ts + 1 modules
var resolver = __nccwpck_require__(550);
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
    if (record.readOnly)
        return { kind: 'refuse', refusal: { reason: 'record-read-only' } };
    const drift = driftOf(record, wanted);
    const right = record.content === wanted.address;
    if (right && (drift.length === 0 || wanted.onDrift === 'warn'))
        return { kind: 'unchanged', record, drift };
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
function explainErrors(status, errors, attempt) {
    const has = (codes) => errors.some(error => codes.has(error.code));
    const response = describeResponse(status, errors);
    const failed = `Failed to ${attempt.what}: ${response}.`;
    if (errors.some(error => error.code === routingCode)) {
        return {
            reason: 'zone-not-found',
            message: `${failed} The service has no zone ${attempt.target.zoneId}. Copy zone-id from the overview page of the zone.`,
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
            message: `${failed} ${zoneAdvice}The token is wrong, expired or revoked, or it does not cover zone ${attempt.target.zoneId}. Create a ` +
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
function nameRecords(records) {
    const named = records.map(({ id, content }) => `${id} (${(0,quote/* quote */.h)(content)})`).join(', ');
    return `${records.length} ${records[0]?.type} records: ${named}`;
}
function nameDifferences(differences) {
    return differences.map(({ field, found, sent }) => `${field} ${(0,quote/* quote */.h)(found)} instead of ${sent}`).join(', ');
}

// EXTERNAL MODULE: ./action/records/hostname.ts + 1 modules
var hostname = __nccwpck_require__(164);
;// CONCATENATED MODULE: ./action/records/envelope.ts



const maxErrors = 10;
function parseEnvelope(body) {
    let json;
    try {
        json = JSON.parse(body);
    }
    catch {
        return null;
    }
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
function doubtAboutWhole(resultInfo, shown) {
    if (resultInfo === undefined || resultInfo === null)
        return null;
    if (!isObject(resultInfo))
        return 'its result_info is not an object';
    for (const [field, value] of Object.entries(resultInfo)) {
        const read = infoFields.includes(field)
            ? Number.isSafeInteger(value) && Number(value) >= 0
            : !continuation.test(field);
        const empty = value === null || value === '' || value === false;
        if (!read && !empty)
            return `its result_info contains ${(0,quote/* quote */.h)(field)}: ${(0,quote/* quote */.h)(JSON.stringify(value))}`;
    }
    const [page, perPage, count, total, pages] = infoFields.map(field => {
        const value = resultInfo[field];
        return typeof value === 'number' ? value : null;
    });
    const all = Math.max(count ?? 0, total ?? 0);
    if (all > shown)
        return `it shows ${shown} of ${all} records`;
    if ((page ?? 1) !== 1 || (pages ?? 1) > 1)
        return `it is page ${page ?? 1} of ${pages ?? 'an unknown number'}`;
    const full = typeof perPage === 'number' && shown >= perPage;
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
function parseRecord(value) {
    if (!isObject(value))
        return null;
    const { id, type, name, content, ttl, proxied, comment, tags, settings, meta } = value;
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
        name: (0,hostname/* canonicalHostname */.G)(name) ?? name.toLowerCase(),
        content: address ?? '',
        ttl: typeof ttl === 'number' ? ttl : 1,
        proxied: proxied === true,
        comment: typeof comment === 'string' && comment !== '' ? comment : null,
        tags: Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string') : [],
        settings: isObject(settings) ? settings : {},
        readOnly: isObject(meta) && meta['read_only'] === true,
    };
}
function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

;// CONCATENATED MODULE: ./action/records/service.ts


const maxReads = 3;
const maxResponseBytes = 1024 * 1024;
const maxWaitsMs = [500, 1000];
async function listRecords(service, target) {
    const attempt = { what: `list the records of ${target.hostname}`, target, writes: false };
    const url = `${recordsUrl(service, target)}?name=${encodeURIComponent(target.hostname)}`;
    if (service.deadline.remainingMs() <= 0)
        return { kind: 'failed', problem: deadlinePassed(attempt) };
    for (let read = 1;; read++) {
        const outcome = await send(service, { method: 'GET', url }, service.deadline.remainingMs());
        const listing = readListing(outcome, attempt);
        if (listing.kind !== 'retry')
            return listing;
        const retryAfterMs = outcome.kind === 'response' ? outcome.retryAfterMs : null;
        const waitMs = retryAfterMs ?? service.clock.random() * (maxWaitsMs[read - 1] ?? 0);
        if (read === maxReads || waitMs >= service.deadline.remainingMs()) {
            const outOfTime = read < maxReads && retryAfterMs === null;
            return {
                kind: 'failed',
                problem: outOfTime ? deadlinePassed(attempt, listing.problem) : listing.problem,
            };
        }
        await service.clock.sleep(waitMs);
    }
}
function readListing(outcome, attempt) {
    const unavailable = (what) => ({
        reason: 'service-unavailable',
        message: `Failed to ${attempt.what}: ${what}.`,
    });
    if (outcome.kind === 'failure') {
        const problem = unavailable(outcome.detail);
        return outcome.cause === 'too-large' ? { kind: 'failed', problem } : { kind: 'retry', problem };
    }
    if (isRedirect(outcome))
        return { kind: 'failed', problem: redirected(attempt) };
    const { status } = outcome;
    const envelope = parseEnvelope(outcome.body);
    const errors = envelope?.errors ?? [];
    if (isRateLimit(status, errors)) {
        return { kind: 'retry', problem: rateLimited(attempt, describeResponse(status, errors)) };
    }
    if (status >= 500)
        return { kind: 'retry', problem: explainErrors(status, errors, attempt) };
    if (status >= 400 || envelope?.success === false) {
        return { kind: 'failed', problem: explainErrors(status, errors, attempt) };
    }
    if (!envelope)
        return { kind: 'retry', problem: unavailable(describeBody(outcome)) };
    return readRecords(envelope, attempt);
}
function readRecords(envelope, attempt) {
    const failed = (why) => ({
        kind: 'failed',
        problem: { reason: 'unexpected', message: `Failed to ${attempt.what}: ${why}. Check base-url.` },
    });
    if (!Array.isArray(envelope.result))
        return failed('the response contains no list of records');
    const records = envelope.result.map(parseRecord);
    const readable = records.filter(record => record !== null);
    if (readable.length < records.length)
        return failed('a record in the response has missing or malformed fields');
    const doubt = doubtAboutWhole(envelope.resultInfo, readable.length);
    if (doubt)
        return failed(`the list may be incomplete, and only a complete one can be trusted: ${doubt}`);
    return { kind: 'listed', records: readable };
}
async function replaceRecord(service, target, recordId, body, timeoutMs) {
    const url = `${recordsUrl(service, target)}/${recordId}`;
    const outcome = await send(service, { method: 'PUT', url, body: JSON.stringify(body) }, timeoutMs);
    return readWrite(outcome, { what: `update ${target.hostname}`, target, writes: true });
}
async function createRecord(service, target, body, timeoutMs) {
    const url = recordsUrl(service, target);
    const outcome = await send(service, { method: 'POST', url, body: JSON.stringify(body) }, timeoutMs);
    return readWrite(outcome, { what: `create ${target.hostname}`, target, writes: true });
}
function readWrite(outcome, attempt) {
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
    if (status >= 400 || envelope?.success === false) {
        return { kind: 'refused', problem: explainErrors(status, errors, attempt), what };
    }
    const record = envelope ? parseRecord(envelope.result) : null;
    if (isRedirect(outcome) || !record)
        return { kind: 'unknown', what: describeBody(outcome), retryAfterMs };
    return { kind: 'answered', record };
}
function send(service, request, timeoutMs) {
    return service.exchange({
        ...request,
        headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
        timeoutMs: Math.min(service.deadline.callMs, timeoutMs),
        maxBytes: maxResponseBytes,
    });
}
function recordsUrl(service, { zoneId }) {
    return `${service.baseUrl}/client/v4/zones/${zoneId}/dns_records`;
}
function isRedirect(response) {
    return response.status >= 300 && response.status < 400;
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
function deadlinePassed(attempt, last) {
    const again = last ? ` again. ${last.message}` : '.';
    return {
        reason: 'deadline',
        message: `No time was left to ${attempt.what}${again} If this happens again, raise timeout.`,
    };
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

;// CONCATENATED MODULE: ./action/write.ts



const maxWrites = 2;
const maxWaitMs = 500;
const retryTooLate = 'its Retry-After is later than the deadline';
async function write(service, target, plan) {
    const { deadline, clock } = service;
    let mayHaveHappened = false;
    for (let attempt = 1;; attempt++) {
        const spareMs = deadline.remainingMs() - deadline.callMs;
        if (spareMs <= 0)
            return outOfTime(target, plan, mayHaveHappened);
        const outcome = await sendWrite(service, target, plan, spareMs);
        if (outcome.kind === 'refused' && !mayHaveHappened)
            return { kind: 'failed', problem: outcome.problem };
        const doubt = doubtAbout(outcome, plan);
        if (outcome.kind === 'answered' && doubt === null) {
            return { kind: 'confirmed', record: outcome.record, notes: [] };
        }
        mayHaveHappened ||= outcome.kind !== 'limited';
        const giveUp = (then) => outcome.kind === 'limited' && !mayHaveHappened
            ? { kind: 'failed', problem: outcome.problem }
            : unconfirmed(target, plan, `${doubt}; ${then}`);
        const retryAfterMs = outcome.kind === 'unknown' || outcome.kind === 'limited' ? outcome.retryAfterMs : null;
        const forWaitingMs = Math.max(0, deadline.remainingMs() - deadline.callMs);
        const tooLate = retryAfterMs !== null && retryAfterMs > forWaitingMs;
        if (tooLate && !mayHaveHappened)
            return giveUp(retryTooLate);
        const jitterMs = Math.min(clock.random() * maxWaitMs, forWaitingMs);
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
        if (found.kind === 'other')
            return giveUp(`reading it back, ${found.what}`);
        const old = `reading it back, it had not changed after ${attempt === 1 ? 'one attempt' : `${attempt} attempts`}`;
        if (tooLate)
            return giveUp(`${old}, and ${retryTooLate}`);
        const repeatable = outcome.kind === 'unknown' || outcome.kind === 'limited';
        if (attempt === maxWrites || !repeatable)
            return giveUp(old);
    }
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
        return other(`the name has ${nameRecords(finding.records)}; delete all but one`);
    if (finding.kind === 'none')
        return plan.kind === 'create' ? { kind: 'old' } : other('the record is gone');
    const { record } = finding;
    if (plan.kind === 'update' && record.id !== plan.record.id) {
        return other(`the record is gone, and ${record.id} has replaced it`);
    }
    if (record.readOnly)
        return other('the record is now managed by another product');
    const wrong = differences(record, plan.body, null);
    if (wrong.length === 0)
        return { kind: 'new', record };
    const before = plan.kind === 'update' && differences(record, { ...plan.body, ...fieldsOf(plan.record) }, null);
    return before && before.length === 0 ? { kind: 'old' } : other(`it shows ${nameDifferences(wrong)}`);
}
function fieldsOf({ content, ttl, proxied }) {
    return { content, ttl, proxied };
}
function outOfTime(target, plan, mayHaveHappened) {
    if (mayHaveHappened)
        return unconfirmed(target, plan, 'no time was left to repeat the write');
    const message = `No time was left to write ${target.hostname} and read it back, so nothing was written. The next run tries again. If ` +
        'this happens again, raise timeout.';
    return { kind: 'failed', problem: { reason: 'deadline', message } };
}
function unconfirmed({ hostname }, plan, why) {
    const [what, states] = plan.kind === 'update'
        ? [`update of ${hostname} from ${plan.record.content} to ${plan.body.content}`, 'hold either address']
        : [`creation of ${hostname} with ${plan.body.content}`, 'exist or not'];
    const message = `Could not confirm the ${what}: ${why}. The record may ${states}. The next run checks it; to check it now, run the ` +
        'workflow by hand.';
    return { kind: 'failed', problem: { reason: 'write-unconfirmed', message } };
}

;// CONCATENATED MODULE: ./action/round.ts







const maxConcurrentLists = 8;
async function runRound(settings, exchange, clock, interfaces = () => ({})) {
    const startMs = clock.now();
    let requests = 0;
    const service = {
        baseUrl: settings.baseUrl,
        token: settings.token,
        exchange: request => {
            requests++;
            return exchange(request);
        },
        deadline: startDeadline(settings.timeoutMs, clock),
        clock,
    };
    const { detections, records } = await reconcileAll(settings, service, interfaces);
    return {
        records,
        votes: detections.flatMap(({ type, votes }) => votes.map(vote => ({ ...vote, type }))),
        warnings: detections.flatMap(detection => (detection.kind === 'address' ? detection.warnings : [])),
        problem: null,
        requests,
        elapsedMs: clock.now() - startMs,
    };
}
async function reconcileAll(settings, service, interfaces) {
    const { targets, addresses } = settings;
    const detecting = Promise.all(addresses.map(address => detectAddress(address, settings.addressRules, { ...service, interfaces })));
    const given = addresses.every(({ source }) => source.kind === 'given');
    const hopeless = given && (await detecting).every(({ kind }) => kind === 'none');
    const [detections, listings] = await Promise.all([detecting, hopeless ? [] : listAll(targets, service)]);
    const records = [];
    for (const [index, target] of targets.entries()) {
        for (const detection of detections) {
            records.push(await reconcileRecord(target, detection, listings[index], settings, service));
        }
    }
    return { detections, records };
}
async function listAll(targets, service) {
    const listings = [];
    for (let start = 0; start < targets.length; start += maxConcurrentLists) {
        const batch = targets.slice(start, start + maxConcurrentLists);
        listings.push(...(await Promise.all(batch.map(target => listRecords(service, target)))));
    }
    return listings;
}
async function reconcileRecord(target, detection, listing, settings, service) {
    const { type } = detection;
    const slot = { ...target, type };
    const learned = detection.kind === 'none' ? detection : addressFor(target.hostname, detection, settings.addressRules);
    if ('problem' in learned)
        return failed(slot, learned.problem, null, null);
    const { address } = learned;
    if (!listing)
        throw new Error('Records are listed whenever an address is known.');
    if (listing.kind === 'failed') {
        const { reason, message } = listing.problem;
        const then = reason === 'service-unavailable' ? '; the next run tries again' : '';
        return failed(slot, { reason, message: `${message} Nothing was written${then}.` }, address, null);
    }
    const wanted = { ...settings.record, hostname: target.hostname, type, address };
    const plan = reconcile(listing.records, wanted);
    if (plan.kind === 'refuse')
        return failed(slot, explainRefusal(plan.refusal, wanted), address, null);
    const known = found(slot, address, plan);
    if (plan.kind === 'unchanged')
        return { ...known, result: 'unchanged', problem: null, notes: [] };
    const managesIpv6 = settings.addresses.some(other => other.type === 'AAAA');
    const notes = managesIpv6 ? [] : staleIpv6Notes(listing.records, target.hostname);
    if (settings.dryRun) {
        const result = plan.kind === 'update' ? 'would-update' : 'would-create';
        return { ...known, result, problem: null, notes };
    }
    const written = await write(service, target, plan);
    if (written.kind === 'failed')
        return failed(slot, written.problem, address, plan);
    return {
        ...known,
        recordId: written.record.id,
        result: plan.kind === 'update' ? 'updated' : 'created',
        problem: null,
        notes: [...written.notes, ...notes],
    };
}
function found(slot, address, plan) {
    const existing = plan && plan.kind !== 'create' ? plan : null;
    return {
        ...slot,
        address,
        previousAddress: existing?.record.content ?? null,
        recordId: existing?.record.id ?? null,
        drift: existing?.drift ?? [],
    };
}
function failed(slot, problem, address, plan) {
    return { ...found(slot, address, plan), result: 'failed', problem, notes: [] };
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
            anyWritten: watched.anyWritten || result.records.some(_result_js__WEBPACK_IMPORTED_MODULE_1__/* .isWritten */ .QH),
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
    return records.some(record => (0,_result_js__WEBPACK_IMPORTED_MODULE_1__/* .isWritten */ .QH)(record) || record.problem?.reason === 'write-unconfirmed');
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

/***/ 613:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("assert");

/***/ }),

/***/ 434:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("events");

/***/ }),

/***/ 611:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("http");

/***/ }),

/***/ 692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("https");

/***/ }),

/***/ 278:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("net");

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

/***/ }),

/***/ 756:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("tls");

/***/ }),

/***/ 23:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("util");

/***/ }),

/***/ 83:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  Qq: () => (/* binding */ HttpClient),
  s_: () => (/* binding */ lib_getProxyUrl)
});

// UNUSED EXPORTS: Headers, HttpClientError, HttpClientResponse, HttpCodes, MediaTypes, isHttps

// EXTERNAL MODULE: external "http"
var external_http_ = __nccwpck_require__(611);
var external_http_namespaceObject = /*#__PURE__*/__nccwpck_require__.t(external_http_, 2);
// EXTERNAL MODULE: external "https"
var external_https_ = __nccwpck_require__(692);
var external_https_namespaceObject = /*#__PURE__*/__nccwpck_require__.t(external_https_, 2);
;// CONCATENATED MODULE: ./node_modules/@actions/http-client/lib/proxy.js
function getProxyUrl(reqUrl) {
    const usingSsl = reqUrl.protocol === 'https:';
    if (checkBypass(reqUrl)) {
        return undefined;
    }
    const proxyVar = (() => {
        if (usingSsl) {
            return process.env['https_proxy'] || process.env['HTTPS_PROXY'];
        }
        else {
            return process.env['http_proxy'] || process.env['HTTP_PROXY'];
        }
    })();
    if (proxyVar) {
        try {
            return new DecodedURL(proxyVar);
        }
        catch (_a) {
            if (!proxyVar.startsWith('http://') && !proxyVar.startsWith('https://'))
                return new DecodedURL(`http://${proxyVar}`);
        }
    }
    else {
        return undefined;
    }
}
function checkBypass(reqUrl) {
    if (!reqUrl.hostname) {
        return false;
    }
    const reqHost = reqUrl.hostname;
    if (isLoopbackAddress(reqHost)) {
        return true;
    }
    const noProxy = process.env['no_proxy'] || process.env['NO_PROXY'] || '';
    if (!noProxy) {
        return false;
    }
    // Determine the request port
    let reqPort;
    if (reqUrl.port) {
        reqPort = Number(reqUrl.port);
    }
    else if (reqUrl.protocol === 'http:') {
        reqPort = 80;
    }
    else if (reqUrl.protocol === 'https:') {
        reqPort = 443;
    }
    // Format the request hostname and hostname with port
    const upperReqHosts = [reqUrl.hostname.toUpperCase()];
    if (typeof reqPort === 'number') {
        upperReqHosts.push(`${upperReqHosts[0]}:${reqPort}`);
    }
    // Compare request host against noproxy
    for (const upperNoProxyItem of noProxy
        .split(',')
        .map(x => x.trim().toUpperCase())
        .filter(x => x)) {
        if (upperNoProxyItem === '*' ||
            upperReqHosts.some(x => x === upperNoProxyItem ||
                x.endsWith(`.${upperNoProxyItem}`) ||
                (upperNoProxyItem.startsWith('.') &&
                    x.endsWith(`${upperNoProxyItem}`)))) {
            return true;
        }
    }
    return false;
}
function isLoopbackAddress(host) {
    const hostLower = host.toLowerCase();
    return (hostLower === 'localhost' ||
        hostLower.startsWith('127.') ||
        hostLower.startsWith('[::1]') ||
        hostLower.startsWith('[0:0:0:0:0:0:0:1]'));
}
class DecodedURL extends URL {
    constructor(url, base) {
        super(url, base);
        this._decodedUsername = decodeURIComponent(super.username);
        this._decodedPassword = decodeURIComponent(super.password);
    }
    get username() {
        return this._decodedUsername;
    }
    get password() {
        return this._decodedPassword;
    }
}
//# sourceMappingURL=proxy.js.map
// EXTERNAL MODULE: ./node_modules/tunnel/index.js
var tunnel = __nccwpck_require__(770);
;// CONCATENATED MODULE: ./tools/undici-stub/index.js
// Replaces undici in the action's bundle. @actions/http-client needs it only for getAgentDispatcher(), which serves
// Octokit and which Homeport never calls. The real package would be nine tenths of the code that users must trust.
class ProxyAgent {
  constructor() {
    throw new Error('undici is not part of this bundle, so getAgentDispatcher() does not work')
  }
}

;// CONCATENATED MODULE: ./node_modules/@actions/http-client/lib/index.js
/* eslint-disable @typescript-eslint/no-explicit-any */
var __awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};





var HttpCodes;
(function (HttpCodes) {
    HttpCodes[HttpCodes["OK"] = 200] = "OK";
    HttpCodes[HttpCodes["MultipleChoices"] = 300] = "MultipleChoices";
    HttpCodes[HttpCodes["MovedPermanently"] = 301] = "MovedPermanently";
    HttpCodes[HttpCodes["ResourceMoved"] = 302] = "ResourceMoved";
    HttpCodes[HttpCodes["SeeOther"] = 303] = "SeeOther";
    HttpCodes[HttpCodes["NotModified"] = 304] = "NotModified";
    HttpCodes[HttpCodes["UseProxy"] = 305] = "UseProxy";
    HttpCodes[HttpCodes["SwitchProxy"] = 306] = "SwitchProxy";
    HttpCodes[HttpCodes["TemporaryRedirect"] = 307] = "TemporaryRedirect";
    HttpCodes[HttpCodes["PermanentRedirect"] = 308] = "PermanentRedirect";
    HttpCodes[HttpCodes["BadRequest"] = 400] = "BadRequest";
    HttpCodes[HttpCodes["Unauthorized"] = 401] = "Unauthorized";
    HttpCodes[HttpCodes["PaymentRequired"] = 402] = "PaymentRequired";
    HttpCodes[HttpCodes["Forbidden"] = 403] = "Forbidden";
    HttpCodes[HttpCodes["NotFound"] = 404] = "NotFound";
    HttpCodes[HttpCodes["MethodNotAllowed"] = 405] = "MethodNotAllowed";
    HttpCodes[HttpCodes["NotAcceptable"] = 406] = "NotAcceptable";
    HttpCodes[HttpCodes["ProxyAuthenticationRequired"] = 407] = "ProxyAuthenticationRequired";
    HttpCodes[HttpCodes["RequestTimeout"] = 408] = "RequestTimeout";
    HttpCodes[HttpCodes["Conflict"] = 409] = "Conflict";
    HttpCodes[HttpCodes["Gone"] = 410] = "Gone";
    HttpCodes[HttpCodes["TooManyRequests"] = 429] = "TooManyRequests";
    HttpCodes[HttpCodes["InternalServerError"] = 500] = "InternalServerError";
    HttpCodes[HttpCodes["NotImplemented"] = 501] = "NotImplemented";
    HttpCodes[HttpCodes["BadGateway"] = 502] = "BadGateway";
    HttpCodes[HttpCodes["ServiceUnavailable"] = 503] = "ServiceUnavailable";
    HttpCodes[HttpCodes["GatewayTimeout"] = 504] = "GatewayTimeout";
})(HttpCodes || (HttpCodes = {}));
var Headers;
(function (Headers) {
    Headers["Accept"] = "accept";
    Headers["ContentType"] = "content-type";
})(Headers || (Headers = {}));
var MediaTypes;
(function (MediaTypes) {
    MediaTypes["ApplicationJson"] = "application/json";
})(MediaTypes || (MediaTypes = {}));
/**
 * Returns the proxy URL, depending upon the supplied url and proxy environment variables.
 * @param serverUrl  The server URL where the request will be sent. For example, https://api.github.com
 */
function lib_getProxyUrl(serverUrl) {
    const proxyUrl = getProxyUrl(new URL(serverUrl));
    return proxyUrl ? proxyUrl.href : '';
}
const HttpRedirectCodes = [
    HttpCodes.MovedPermanently,
    HttpCodes.ResourceMoved,
    HttpCodes.SeeOther,
    HttpCodes.TemporaryRedirect,
    HttpCodes.PermanentRedirect
];
const HttpResponseRetryCodes = [
    HttpCodes.BadGateway,
    HttpCodes.ServiceUnavailable,
    HttpCodes.GatewayTimeout
];
const RetryableHttpVerbs = ['OPTIONS', 'GET', 'DELETE', 'HEAD'];
const ExponentialBackoffCeiling = 10;
const ExponentialBackoffTimeSlice = 5;
class HttpClientError extends Error {
    constructor(message, statusCode) {
        super(message);
        this.name = 'HttpClientError';
        this.statusCode = statusCode;
        Object.setPrototypeOf(this, HttpClientError.prototype);
    }
}
class HttpClientResponse {
    constructor(message) {
        this.message = message;
    }
    readBody() {
        return __awaiter(this, void 0, void 0, function* () {
            return new Promise((resolve) => __awaiter(this, void 0, void 0, function* () {
                let output = Buffer.alloc(0);
                this.message.on('data', (chunk) => {
                    output = Buffer.concat([output, chunk]);
                });
                this.message.on('end', () => {
                    resolve(output.toString());
                });
            }));
        });
    }
    readBodyBuffer() {
        return __awaiter(this, void 0, void 0, function* () {
            return new Promise((resolve) => __awaiter(this, void 0, void 0, function* () {
                const chunks = [];
                this.message.on('data', (chunk) => {
                    chunks.push(chunk);
                });
                this.message.on('end', () => {
                    resolve(Buffer.concat(chunks));
                });
            }));
        });
    }
}
function isHttps(requestUrl) {
    const parsedUrl = new URL(requestUrl);
    return parsedUrl.protocol === 'https:';
}
class HttpClient {
    constructor(userAgent, handlers, requestOptions) {
        this._ignoreSslError = false;
        this._allowRedirects = true;
        this._allowRedirectDowngrade = false;
        this._maxRedirects = 50;
        this._allowRetries = false;
        this._maxRetries = 1;
        this._keepAlive = false;
        this._disposed = false;
        this.userAgent = this._getUserAgentWithOrchestrationId(userAgent);
        this.handlers = handlers || [];
        this.requestOptions = requestOptions;
        if (requestOptions) {
            if (requestOptions.ignoreSslError != null) {
                this._ignoreSslError = requestOptions.ignoreSslError;
            }
            this._socketTimeout = requestOptions.socketTimeout;
            if (requestOptions.allowRedirects != null) {
                this._allowRedirects = requestOptions.allowRedirects;
            }
            if (requestOptions.allowRedirectDowngrade != null) {
                this._allowRedirectDowngrade = requestOptions.allowRedirectDowngrade;
            }
            if (requestOptions.maxRedirects != null) {
                this._maxRedirects = Math.max(requestOptions.maxRedirects, 0);
            }
            if (requestOptions.keepAlive != null) {
                this._keepAlive = requestOptions.keepAlive;
            }
            if (requestOptions.allowRetries != null) {
                this._allowRetries = requestOptions.allowRetries;
            }
            if (requestOptions.maxRetries != null) {
                this._maxRetries = requestOptions.maxRetries;
            }
        }
    }
    options(requestUrl, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request('OPTIONS', requestUrl, null, additionalHeaders || {});
        });
    }
    get(requestUrl, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request('GET', requestUrl, null, additionalHeaders || {});
        });
    }
    del(requestUrl, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request('DELETE', requestUrl, null, additionalHeaders || {});
        });
    }
    post(requestUrl, data, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request('POST', requestUrl, data, additionalHeaders || {});
        });
    }
    patch(requestUrl, data, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request('PATCH', requestUrl, data, additionalHeaders || {});
        });
    }
    put(requestUrl, data, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request('PUT', requestUrl, data, additionalHeaders || {});
        });
    }
    head(requestUrl, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request('HEAD', requestUrl, null, additionalHeaders || {});
        });
    }
    sendStream(verb, requestUrl, stream, additionalHeaders) {
        return __awaiter(this, void 0, void 0, function* () {
            return this.request(verb, requestUrl, stream, additionalHeaders);
        });
    }
    /**
     * Gets a typed object from an endpoint
     * Be aware that not found returns a null.  Other errors (4xx, 5xx) reject the promise
     */
    getJson(requestUrl_1) {
        return __awaiter(this, arguments, void 0, function* (requestUrl, additionalHeaders = {}) {
            additionalHeaders[Headers.Accept] = this._getExistingOrDefaultHeader(additionalHeaders, Headers.Accept, MediaTypes.ApplicationJson);
            const res = yield this.get(requestUrl, additionalHeaders);
            return this._processResponse(res, this.requestOptions);
        });
    }
    postJson(requestUrl_1, obj_1) {
        return __awaiter(this, arguments, void 0, function* (requestUrl, obj, additionalHeaders = {}) {
            const data = JSON.stringify(obj, null, 2);
            additionalHeaders[Headers.Accept] = this._getExistingOrDefaultHeader(additionalHeaders, Headers.Accept, MediaTypes.ApplicationJson);
            additionalHeaders[Headers.ContentType] =
                this._getExistingOrDefaultContentTypeHeader(additionalHeaders, MediaTypes.ApplicationJson);
            const res = yield this.post(requestUrl, data, additionalHeaders);
            return this._processResponse(res, this.requestOptions);
        });
    }
    putJson(requestUrl_1, obj_1) {
        return __awaiter(this, arguments, void 0, function* (requestUrl, obj, additionalHeaders = {}) {
            const data = JSON.stringify(obj, null, 2);
            additionalHeaders[Headers.Accept] = this._getExistingOrDefaultHeader(additionalHeaders, Headers.Accept, MediaTypes.ApplicationJson);
            additionalHeaders[Headers.ContentType] =
                this._getExistingOrDefaultContentTypeHeader(additionalHeaders, MediaTypes.ApplicationJson);
            const res = yield this.put(requestUrl, data, additionalHeaders);
            return this._processResponse(res, this.requestOptions);
        });
    }
    patchJson(requestUrl_1, obj_1) {
        return __awaiter(this, arguments, void 0, function* (requestUrl, obj, additionalHeaders = {}) {
            const data = JSON.stringify(obj, null, 2);
            additionalHeaders[Headers.Accept] = this._getExistingOrDefaultHeader(additionalHeaders, Headers.Accept, MediaTypes.ApplicationJson);
            additionalHeaders[Headers.ContentType] =
                this._getExistingOrDefaultContentTypeHeader(additionalHeaders, MediaTypes.ApplicationJson);
            const res = yield this.patch(requestUrl, data, additionalHeaders);
            return this._processResponse(res, this.requestOptions);
        });
    }
    /**
     * Makes a raw http request.
     * All other methods such as get, post, patch, and request ultimately call this.
     * Prefer get, del, post and patch
     */
    request(verb, requestUrl, data, headers) {
        return __awaiter(this, void 0, void 0, function* () {
            if (this._disposed) {
                throw new Error('Client has already been disposed.');
            }
            const parsedUrl = new URL(requestUrl);
            let info = this._prepareRequest(verb, parsedUrl, headers);
            // Only perform retries on reads since writes may not be idempotent.
            const maxTries = this._allowRetries && RetryableHttpVerbs.includes(verb)
                ? this._maxRetries + 1
                : 1;
            let numTries = 0;
            let response;
            do {
                response = yield this.requestRaw(info, data);
                // Check if it's an authentication challenge
                if (response &&
                    response.message &&
                    response.message.statusCode === HttpCodes.Unauthorized) {
                    let authenticationHandler;
                    for (const handler of this.handlers) {
                        if (handler.canHandleAuthentication(response)) {
                            authenticationHandler = handler;
                            break;
                        }
                    }
                    if (authenticationHandler) {
                        return authenticationHandler.handleAuthentication(this, info, data);
                    }
                    else {
                        // We have received an unauthorized response but have no handlers to handle it.
                        // Let the response return to the caller.
                        return response;
                    }
                }
                let redirectsRemaining = this._maxRedirects;
                while (response.message.statusCode &&
                    HttpRedirectCodes.includes(response.message.statusCode) &&
                    this._allowRedirects &&
                    redirectsRemaining > 0) {
                    const redirectUrl = response.message.headers['location'];
                    if (!redirectUrl) {
                        // if there's no location to redirect to, we won't
                        break;
                    }
                    const parsedRedirectUrl = new URL(redirectUrl);
                    if (parsedUrl.protocol === 'https:' &&
                        parsedUrl.protocol !== parsedRedirectUrl.protocol &&
                        !this._allowRedirectDowngrade) {
                        throw new Error('Redirect from HTTPS to HTTP protocol. This downgrade is not allowed for security reasons. If you want to allow this behavior, set the allowRedirectDowngrade option to true.');
                    }
                    // we need to finish reading the response before reassigning response
                    // which will leak the open socket.
                    yield response.readBody();
                    // strip authorization header if redirected to a different hostname
                    if (parsedRedirectUrl.hostname !== parsedUrl.hostname) {
                        for (const header in headers) {
                            // header names are case insensitive
                            if (header.toLowerCase() === 'authorization') {
                                delete headers[header];
                            }
                        }
                    }
                    // let's make the request with the new redirectUrl
                    info = this._prepareRequest(verb, parsedRedirectUrl, headers);
                    response = yield this.requestRaw(info, data);
                    redirectsRemaining--;
                }
                if (!response.message.statusCode ||
                    !HttpResponseRetryCodes.includes(response.message.statusCode)) {
                    // If not a retry code, return immediately instead of retrying
                    return response;
                }
                numTries += 1;
                if (numTries < maxTries) {
                    yield response.readBody();
                    yield this._performExponentialBackoff(numTries);
                }
            } while (numTries < maxTries);
            return response;
        });
    }
    /**
     * Needs to be called if keepAlive is set to true in request options.
     */
    dispose() {
        if (this._agent) {
            this._agent.destroy();
        }
        this._disposed = true;
    }
    /**
     * Raw request.
     * @param info
     * @param data
     */
    requestRaw(info, data) {
        return __awaiter(this, void 0, void 0, function* () {
            return new Promise((resolve, reject) => {
                function callbackForResult(err, res) {
                    if (err) {
                        reject(err);
                    }
                    else if (!res) {
                        // If `err` is not passed, then `res` must be passed.
                        reject(new Error('Unknown error'));
                    }
                    else {
                        resolve(res);
                    }
                }
                this.requestRawWithCallback(info, data, callbackForResult);
            });
        });
    }
    /**
     * Raw request with callback.
     * @param info
     * @param data
     * @param onResult
     */
    requestRawWithCallback(info, data, onResult) {
        if (typeof data === 'string') {
            if (!info.options.headers) {
                info.options.headers = {};
            }
            info.options.headers['Content-Length'] = Buffer.byteLength(data, 'utf8');
        }
        let callbackCalled = false;
        function handleResult(err, res) {
            if (!callbackCalled) {
                callbackCalled = true;
                onResult(err, res);
            }
        }
        const req = info.httpModule.request(info.options, (msg) => {
            const res = new HttpClientResponse(msg);
            handleResult(undefined, res);
        });
        let socket;
        req.on('socket', sock => {
            socket = sock;
        });
        // If we ever get disconnected, we want the socket to timeout eventually
        req.setTimeout(this._socketTimeout || 3 * 60000, () => {
            if (socket) {
                socket.end();
            }
            handleResult(new Error(`Request timeout: ${info.options.path}`));
        });
        req.on('error', function (err) {
            // err has statusCode property
            // res should have headers
            handleResult(err);
        });
        if (data && typeof data === 'string') {
            req.write(data, 'utf8');
        }
        if (data && typeof data !== 'string') {
            data.on('close', function () {
                req.end();
            });
            data.pipe(req);
        }
        else {
            req.end();
        }
    }
    /**
     * Gets an http agent. This function is useful when you need an http agent that handles
     * routing through a proxy server - depending upon the url and proxy environment variables.
     * @param serverUrl  The server URL where the request will be sent. For example, https://api.github.com
     */
    getAgent(serverUrl) {
        const parsedUrl = new URL(serverUrl);
        return this._getAgent(parsedUrl);
    }
    getAgentDispatcher(serverUrl) {
        const parsedUrl = new URL(serverUrl);
        const proxyUrl = getProxyUrl(parsedUrl);
        const useProxy = proxyUrl && proxyUrl.hostname;
        if (!useProxy) {
            return;
        }
        return this._getProxyAgentDispatcher(parsedUrl, proxyUrl);
    }
    _prepareRequest(method, requestUrl, headers) {
        const info = {};
        info.parsedUrl = requestUrl;
        const usingSsl = info.parsedUrl.protocol === 'https:';
        info.httpModule = usingSsl ? external_https_namespaceObject : external_http_namespaceObject;
        const defaultPort = usingSsl ? 443 : 80;
        info.options = {};
        info.options.host = info.parsedUrl.hostname;
        info.options.port = info.parsedUrl.port
            ? parseInt(info.parsedUrl.port)
            : defaultPort;
        info.options.path =
            (info.parsedUrl.pathname || '') + (info.parsedUrl.search || '');
        info.options.method = method;
        info.options.headers = this._mergeHeaders(headers);
        if (this.userAgent != null) {
            info.options.headers['user-agent'] = this.userAgent;
        }
        info.options.agent = this._getAgent(info.parsedUrl);
        // gives handlers an opportunity to participate
        if (this.handlers) {
            for (const handler of this.handlers) {
                handler.prepareRequest(info.options);
            }
        }
        return info;
    }
    _mergeHeaders(headers) {
        if (this.requestOptions && this.requestOptions.headers) {
            return Object.assign({}, lowercaseKeys(this.requestOptions.headers), lowercaseKeys(headers || {}));
        }
        return lowercaseKeys(headers || {});
    }
    /**
     * Gets an existing header value or returns a default.
     * Handles converting number header values to strings since HTTP headers must be strings.
     * Note: This returns string | string[] since some headers can have multiple values.
     * For headers that must always be a single string (like Content-Type), use the
     * specialized _getExistingOrDefaultContentTypeHeader method instead.
     */
    _getExistingOrDefaultHeader(additionalHeaders, header, _default) {
        let clientHeader;
        if (this.requestOptions && this.requestOptions.headers) {
            const headerValue = lowercaseKeys(this.requestOptions.headers)[header];
            if (headerValue) {
                clientHeader =
                    typeof headerValue === 'number' ? headerValue.toString() : headerValue;
            }
        }
        const additionalValue = additionalHeaders[header];
        if (additionalValue !== undefined) {
            return typeof additionalValue === 'number'
                ? additionalValue.toString()
                : additionalValue;
        }
        if (clientHeader !== undefined) {
            return clientHeader;
        }
        return _default;
    }
    /**
     * Specialized version of _getExistingOrDefaultHeader for Content-Type header.
     * Always returns a single string (not an array) since Content-Type should be a single value.
     * Converts arrays to comma-separated strings and numbers to strings to ensure type safety.
     * This was split from _getExistingOrDefaultHeader to provide stricter typing for callers
     * that assign the result to places expecting a string (e.g., additionalHeaders[Headers.ContentType]).
     */
    _getExistingOrDefaultContentTypeHeader(additionalHeaders, _default) {
        let clientHeader;
        if (this.requestOptions && this.requestOptions.headers) {
            const headerValue = lowercaseKeys(this.requestOptions.headers)[Headers.ContentType];
            if (headerValue) {
                if (typeof headerValue === 'number') {
                    clientHeader = String(headerValue);
                }
                else if (Array.isArray(headerValue)) {
                    clientHeader = headerValue.join(', ');
                }
                else {
                    clientHeader = headerValue;
                }
            }
        }
        const additionalValue = additionalHeaders[Headers.ContentType];
        // Return the first non-undefined value, converting numbers or arrays to strings if necessary
        if (additionalValue !== undefined) {
            if (typeof additionalValue === 'number') {
                return String(additionalValue);
            }
            else if (Array.isArray(additionalValue)) {
                return additionalValue.join(', ');
            }
            else {
                return additionalValue;
            }
        }
        if (clientHeader !== undefined) {
            return clientHeader;
        }
        return _default;
    }
    _getAgent(parsedUrl) {
        let agent;
        const proxyUrl = getProxyUrl(parsedUrl);
        const useProxy = proxyUrl && proxyUrl.hostname;
        if (this._keepAlive && useProxy) {
            agent = this._proxyAgent;
        }
        if (!useProxy) {
            agent = this._agent;
        }
        // if agent is already assigned use that agent.
        if (agent) {
            return agent;
        }
        const usingSsl = parsedUrl.protocol === 'https:';
        let maxSockets = 100;
        if (this.requestOptions) {
            maxSockets = this.requestOptions.maxSockets || external_http_.globalAgent.maxSockets;
        }
        // This is `useProxy` again, but we need to check `proxyURl` directly for TypeScripts's flow analysis.
        if (proxyUrl && proxyUrl.hostname) {
            const agentOptions = {
                maxSockets,
                keepAlive: this._keepAlive,
                proxy: Object.assign(Object.assign({}, ((proxyUrl.username || proxyUrl.password) && {
                    proxyAuth: `${proxyUrl.username}:${proxyUrl.password}`
                })), { host: proxyUrl.hostname, port: proxyUrl.port })
            };
            let tunnelAgent;
            const overHttps = proxyUrl.protocol === 'https:';
            if (usingSsl) {
                tunnelAgent = overHttps ? tunnel.httpsOverHttps : tunnel.httpsOverHttp;
            }
            else {
                tunnelAgent = overHttps ? tunnel.httpOverHttps : tunnel.httpOverHttp;
            }
            agent = tunnelAgent(agentOptions);
            this._proxyAgent = agent;
        }
        // if tunneling agent isn't assigned create a new agent
        if (!agent) {
            const options = { keepAlive: this._keepAlive, maxSockets };
            agent = usingSsl ? new external_https_.Agent(options) : new external_http_.Agent(options);
            this._agent = agent;
        }
        if (usingSsl && this._ignoreSslError) {
            // we don't want to set NODE_TLS_REJECT_UNAUTHORIZED=0 since that will affect request for entire process
            // http.RequestOptions doesn't expose a way to modify RequestOptions.agent.options
            // we have to cast it to any and change it directly
            agent.options = Object.assign(agent.options || {}, {
                rejectUnauthorized: false
            });
        }
        return agent;
    }
    _getProxyAgentDispatcher(parsedUrl, proxyUrl) {
        let proxyAgent;
        if (this._keepAlive) {
            proxyAgent = this._proxyAgentDispatcher;
        }
        // if agent is already assigned use that agent.
        if (proxyAgent) {
            return proxyAgent;
        }
        const usingSsl = parsedUrl.protocol === 'https:';
        proxyAgent = new ProxyAgent(Object.assign({ uri: proxyUrl.href, pipelining: !this._keepAlive ? 0 : 1 }, ((proxyUrl.username || proxyUrl.password) && {
            token: `Basic ${Buffer.from(`${proxyUrl.username}:${proxyUrl.password}`).toString('base64')}`
        })));
        this._proxyAgentDispatcher = proxyAgent;
        if (usingSsl && this._ignoreSslError) {
            // we don't want to set NODE_TLS_REJECT_UNAUTHORIZED=0 since that will affect request for entire process
            // http.RequestOptions doesn't expose a way to modify RequestOptions.agent.options
            // we have to cast it to any and change it directly
            proxyAgent.options = Object.assign(proxyAgent.options.requestTls || {}, {
                rejectUnauthorized: false
            });
        }
        return proxyAgent;
    }
    _getUserAgentWithOrchestrationId(userAgent) {
        const baseUserAgent = userAgent || 'actions/http-client';
        const orchId = process.env['ACTIONS_ORCHESTRATION_ID'];
        if (orchId) {
            // Sanitize the orchestration ID to ensure it contains only valid characters
            // Valid characters: 0-9, a-z, _, -, .
            const sanitizedId = orchId.replace(/[^a-z0-9_.-]/gi, '_');
            return `${baseUserAgent} actions_orchestration_id/${sanitizedId}`;
        }
        return baseUserAgent;
    }
    _performExponentialBackoff(retryNumber) {
        return __awaiter(this, void 0, void 0, function* () {
            retryNumber = Math.min(ExponentialBackoffCeiling, retryNumber);
            const ms = ExponentialBackoffTimeSlice * Math.pow(2, retryNumber);
            return new Promise(resolve => setTimeout(() => resolve(), ms));
        });
    }
    _processResponse(res, options) {
        return __awaiter(this, void 0, void 0, function* () {
            return new Promise((resolve, reject) => __awaiter(this, void 0, void 0, function* () {
                const statusCode = res.message.statusCode || 0;
                const response = {
                    statusCode,
                    result: null,
                    headers: {}
                };
                // not found leads to null obj returned
                if (statusCode === HttpCodes.NotFound) {
                    resolve(response);
                }
                // get the result from the body
                function dateTimeDeserializer(key, value) {
                    if (typeof value === 'string') {
                        const a = new Date(value);
                        if (!isNaN(a.valueOf())) {
                            return a;
                        }
                    }
                    return value;
                }
                let obj;
                let contents;
                try {
                    contents = yield res.readBody();
                    if (contents && contents.length > 0) {
                        if (options && options.deserializeDates) {
                            obj = JSON.parse(contents, dateTimeDeserializer);
                        }
                        else {
                            obj = JSON.parse(contents);
                        }
                        response.result = obj;
                    }
                    response.headers = res.message.headers;
                }
                catch (err) {
                    // Invalid resource (contents not json);  leaving result obj null
                }
                // note that 3xx redirects are handled by the http layer.
                if (statusCode > 299) {
                    let msg;
                    // if exception/error in body, attempt to get better error
                    if (obj && obj.message) {
                        msg = obj.message;
                    }
                    else if (contents && contents.length > 0) {
                        // it may be the case that the exception is in the body message as string
                        msg = contents;
                    }
                    else {
                        msg = `Failed request: (${statusCode})`;
                    }
                    const err = new HttpClientError(msg, statusCode);
                    err.result = response.result;
                    reject(err);
                }
                else {
                    resolve(response);
                }
            }));
        });
    }
}
const lowercaseKeys = (obj) => Object.keys(obj).reduce((c, k) => ((c[k.toLowerCase()] = obj[k]), c), {});
//# sourceMappingURL=index.js.map

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
/******/ /* webpack/runtime/create fake namespace object */
/******/ (() => {
/******/ 	var getProto = Object.getPrototypeOf ? (obj) => (Object.getPrototypeOf(obj)) : (obj) => (obj.__proto__);
/******/ 	var leafPrototypes;
/******/ 	// create a fake namespace object
/******/ 	// mode & 1: value is a module id, require it
/******/ 	// mode & 2: merge all properties of value into the ns
/******/ 	// mode & 4: return value when already ns object
/******/ 	// mode & 16: return value when it's Promise-like
/******/ 	// mode & 8|1: behave like require
/******/ 	__nccwpck_require__.t = function(value, mode) {
/******/ 		if(mode & 1) value = this(value);
/******/ 		if(mode & 8) return value;
/******/ 		if(typeof value === 'object' && value) {
/******/ 			if((mode & 4) && value.__esModule) return value;
/******/ 			if((mode & 16) && typeof value.then === 'function') return value;
/******/ 		}
/******/ 		var ns = Object.create(null);
/******/ 		__nccwpck_require__.r(ns);
/******/ 		var def = {};
/******/ 		leafPrototypes = leafPrototypes || [null, getProto({}), getProto([]), getProto(getProto)];
/******/ 		for(var current = mode & 2 && value; typeof current == 'object' && !~leafPrototypes.indexOf(current); current = getProto(current)) {
/******/ 			Object.getOwnPropertyNames(current).forEach((key) => (def[key] = () => (value[key])));
/******/ 		}
/******/ 		def['default'] = () => (value);
/******/ 		__nccwpck_require__.d(ns, def);
/******/ 		return ns;
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
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
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
