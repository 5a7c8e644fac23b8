#!/usr/bin/env node
/******/ (() => { // webpackBootstrap
var __webpack_exports__ = {};
(function (major, minor) {
  if (major > 22 || (major === 22 && minor >= 3)) return;
  const message = 'Homeport needs Node.js 22.3 or newer. This is ' + process.versions.node + '.';
  if (process.env.GITHUB_ACTIONS === 'true') console.log('::error title=Homeport::' + message);
  else console.error('error: ' + message);
  process.exit(1);
}).apply(null, process.versions.node.split('.').map(Number));
const require = process.getBuiltinModule;
"use strict";

// lib/connect.ts
var import_node_dns = require("node:dns");
var import_node_net = require("node:net");
var maxAttemptMs = 3e3;
function waitForAddresses() {
  (0, import_node_net.setDefaultAutoSelectFamilyAttemptTimeout)(maxAttemptMs);
}
var lookups = [];
function pendingLookups(host) {
  return lookups.filter((other) => host === void 0 || other === host).length;
}
var countedLookup = (host, options, callback) => {
  lookups.push(host);
  (0, import_node_dns.lookup)(host, { ...options, hints: 0 }, (error2, ...found) => {
    lookups.splice(lookups.indexOf(host), 1);
    callback(error2, ...found);
  });
};
var lookupCode = "EAI_AGAIN";
var routeCodes = ["ENETUNREACH", "EHOSTUNREACH"];
function isOffline(error2) {
  if (error2 instanceof AggregateError) return error2.errors.every(isOffline);
  if (!(error2 instanceof Error)) return false;
  const { code = "", syscall } = error2;
  if (code === lookupCode) return true;
  return syscall === "connect" && routeCodes.includes(code);
}
function ofAddress(error2) {
  if (!(error2 instanceof AggregateError)) return error2;
  return error2.errors.find((one) => !isOffline(one)) ?? error2.errors[0];
}

// lib/exit.ts
function exitDespiteLookups() {
  process.on("exit", (code) => {
    if (pendingLookups() === 0 || process.platform === "win32" || !("execve" in process)) return;
    const { NODE_OPTIONS: _, ...env2 } = process.env;
    const status = Number(process.exitCode ?? code);
    try {
      process.execve?.(process.execPath, [process.execPath, "--eval", `process.exit(${status})`], env2);
    } catch {
    }
  });
}

// lib/version.ts
var version = "0.1.0";

// action/address/interface.ts
var import_node_os = require("node:os");

// lib/trimmed.ts
function trimmed(text, characters) {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return trimmedEnd(text.slice(start), characters);
}
function trimmedEnd(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

// lib/ip-address.ts
var mapped = "::ffff:";
var mappedBits = 96;
var groups = 8;
var bitsInGroup = 16;
var bitsInIpv6 = 128;
var maxIpv6Characters = 45;
var asciiWhiteSpace = "	\n\f\r ";
function isIpv4(text) {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}
function isIpv6(text) {
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
}
function parseIpv4(text) {
  const address = trimmed(text, asciiWhiteSpace);
  return isIpv4(address) ? address : null;
}
function parseIpv6(text) {
  const address = trimmed(text, asciiWhiteSpace);
  if (address.length > maxIpv6Characters || !isIpv6(address)) return null;
  return ipv6Text(ipv6Bits(address));
}
function hexForm(address) {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
var last = { address: "::", bits: 0n };
function ipv6Bits(address) {
  if (address !== last.address) last = { address, bits: readBits(address) };
  return last.bits;
}
function readBits(address) {
  const [head = "", tail = ""] = hexForm(address).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = Array(groups - left.length - right.length).fill("0");
  return BigInt(`0x${[...left, ...zeros, ...right].map((group) => group.padStart(4, "0")).join("")}`);
}
function ipv6Text(bits) {
  const values = Array.from(
    { length: groups },
    (_, index) => Number(bits >> BigInt((groups - 1 - index) * bitsInGroup) & 0xffffn)
  );
  if (bits >> 32n === 0xffffn) {
    const octets = values.slice(-2).flatMap((value) => [value >> 8, value & 255]);
    return mapped + octets.join(".");
  }
  return hexForm(values.map((value) => value.toString(16)).join(":"));
}
function rangeOf(network, prefix, family) {
  const unusedBits = BigInt((family === 4 ? 32 : bitsInIpv6) - prefix);
  const prefixOf2 = (address) => ipv6Bits(family === 4 ? `::${address}` : address) >> unusedBits;
  let wanted = null;
  return {
    text: `${network}/${prefix}`,
    family,
    prefix,
    contains(address) {
      if (address.includes(":") !== (family === 6)) return false;
      wanted ??= prefixOf2(network);
      return prefixOf2(address) === wanted;
    }
  };
}
function parseCidr(text) {
  const family = text.includes(":") ? 6 : 4;
  const maxPrefix = family === 4 ? 32 : bitsInIpv6;
  const [addressText = "", prefixText = "", ...rest] = text.split("/");
  const address = /\s/.test(text) ? null : family === 4 ? parseIpv4(addressText) : parseIpv6(addressText);
  const prefix = /^(0|[1-9]\d{0,2})$/.test(prefixText) ? Number(prefixText) : Number.NaN;
  if (rest.length > 0 || address === null || !(prefix <= maxPrefix)) {
    const single = address !== null && !text.includes("/");
    const example = family === 4 ? "203.0.113.0/24" : "2001:db8:1234::/48";
    const fix = single ? `For one address, write ${address}/${maxPrefix}` : `Write it like ${example}`;
    return { problem: `is not an IPv${family} range. ${fix}` };
  }
  const network = family === 4 ? ipv4Network(address, prefix) : ipv6Network(address, prefix);
  if (network !== address) {
    return {
      problem: `has bits set beyond its prefix. Write ${network}/${prefix} or ${address}/${maxPrefix}`
    };
  }
  return { value: rangeOf(network, prefix, family) };
}
function ipv4Network(address, prefix) {
  return ipv6Network(`${mapped}${address}`, mappedBits + prefix).slice(mapped.length);
}
function ipv6Network(address, prefix) {
  const hostBits = BigInt(bitsInIpv6 - prefix);
  return ipv6Text(ipv6Bits(address) >> hostBits << hostBits);
}

// lib/proc-file.ts
var import_node_fs = require("node:fs");
function readProcFile(path) {
  try {
    return (0, import_node_fs.readFileSync)(path, "utf8");
  } catch {
    return "";
  }
}

// lib/hostname.ts
var maxHostnames = 50;
var maxNameCharacters = 253;
var maxLabelCharacters = 63;
var label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
var topLabel = /^[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
function canonicalHostname(text) {
  if (/[^\p{L}\p{M}\p{N}._*-]/u.test(text)) return null;
  const wildcard = text.startsWith("*.");
  const host = (wildcard ? text.slice(2) : text).replace(/\.$/, "");
  const ascii = URL.parse(`http://${host}`)?.hostname ?? "";
  if (ascii === "" || isIpv4(ascii)) return null;
  const name = wildcard ? `*.${ascii}` : ascii;
  const labels = ascii.split(".");
  if (labels.length < 2 || name.length > maxNameCharacters) return null;
  if (!labels.every((part) => label.test(part)) || !topLabel.test(labels.at(-1) ?? "")) return null;
  return name;
}
function looksLikeHostname(text) {
  return /^(?:\*\.)?(?:[a-z0-9-]+\.)+[a-z]{2,24}\.?$/.test(text);
}
function isInDomain(name, domain) {
  return name === domain || name.endsWith(`.${domain}`);
}

// lib/redact.ts
var state = {
  secrets: null,
  redactAddresses: null
};
var mask = "***";
function maskSecrets(secrets, urls = "", shown = []) {
  const visible = shown.join("\n").toLowerCase();
  const urlForms = allFormsOf([urls]).filter((form) => !visible.includes(form.toLowerCase()));
  const forms = [.../* @__PURE__ */ new Set([...allFormsOf(secrets), ...urlForms])];
  const patterns = forms.toSorted((one, other) => other.length - one.length).map((form) => form.replace(/[^\w\s]/g, "\\$&"));
  state.secrets = patterns.length === 0 ? null : new RegExp(patterns.join("|"), "gi");
  return forms;
}
function allFormsOf(secrets) {
  return secrets.flatMap((secret) => secret.split(/\s+/)).filter((word) => word !== "" && !/^bearer$/i.test(word)).flatMap((word) => [word, encodeURIComponent(word), ...base64Of(word)]);
}
function maskAddresses(masked) {
  state.redactAddresses = masked ? redactAddresses : null;
}
function redact(text, tell2 = () => {
}) {
  const withoutSecrets = redactSecrets(text);
  return state.redactAddresses?.(withoutSecrets, tell2) ?? withoutSecrets;
}
function redactAddresses(text, tell2) {
  const redactAddress = (address) => {
    if (harmless.test(address)) return address;
    tell2(address);
    return mask;
  };
  return text.replace(ipv6Run, (run2) => looksLikeIpv6(run2) ? redactAddress(run2) : run2).replace(dottedQuad, (quad) => redactAddress(quad));
}
function redactSecrets(text) {
  return state.secrets === null ? text : text.replace(state.secrets, mask);
}
var minBase64Characters = 8;
function base64Of(word) {
  const bytes = new TextEncoder().encode(word);
  const forms = [0, 1, 2].map((offset) => {
    const text = btoa(" ".repeat(offset) + String.fromCharCode(...bytes));
    return text.slice(Math.ceil(offset * 8 / 6), Math.floor((offset + bytes.length) * 8 / 6));
  });
  return forms.filter((form) => form.length >= minBase64Characters).flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
var dottedQuad = /\d{1,3}(?:\.\d{1,3}){3,}\d*/g;
var ipv6Run = /[0-9a-f:]+(?:\.\d+)*/gi;
var harmless = /^(?:127(?:\.\d{1,3}){3}|192\.0\.2\.\d{1,3}|198\.51\.100\.\d{1,3}|203\.0\.113\.\d{1,3}|::1|2001:0?db8:[\da-f:]*|3fff:0?[\da-f]{1,3}:[\da-f:]*|3fff::[\da-f:]*)$/i;
function looksLikeIpv6(run2) {
  return /::|(?::[^:]*){7}/.test(run2) && /[0-9a-f]/i.test(run2);
}
function redactTokenShapes(text) {
  return text.replace(/\S+(?: \(truncated)?/g, withoutUserInfo).replace(/[\w.*-]+/g, (word) => looksLikeHostname(word) ? word : word.replace(/[\w-]{37,}/g, "***")).replace(/[\w-]+(" \(truncated)?/g, (word, cut) => cut ? `***${cut}` : word);
}
function withoutUserInfo(word) {
  const start = word.indexOf("//") + 2;
  const cut = word.lastIndexOf('" (truncated');
  const end = cut < 0 ? word.lastIndexOf("@") : cut;
  return start < 2 || end < start ? word : `${word.slice(0, start)}***${word.slice(end)}`;
}

// lib/quote.ts
var maxQuotedCharacters = 160;
function quote(remote) {
  return truncateAndEscape(redact(remote), JSON.stringify);
}
function truncateAndEscape(text, write) {
  const shown = text.slice(0, maxQuotedCharacters);
  const escaped = write(shown).replace(/[^\x20-\x7e]|`/g, escapeUnits).replaceAll("#[", "\\u0023[").replace(
    /[^\s"',()]*::[^\s"',()]*/g,
    (word) => word !== "::" && isIpv6(word.replace(/\/\d{1,3}$/, "")) ? word : word.replaceAll("::", ":\\u003a")
  );
  return shown.length < text.length ? `${escaped} (truncated, ${text.length} characters)` : escaped;
}
function escapeUnits(character) {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, "0");
    return `\\u${unit}`;
  }).join("");
}

// action/record-type.ts
var families = {
  A: { version: 4, example: "198.51.100.7", parse: parseIpv4 },
  AAAA: { version: 6, example: "2001:db8::7", parse: parseIpv6 }
};

// action/address/check.ts
function checkAddress(address, rules) {
  const refuse3 = (reason, setting2, why) => ({
    reason,
    message: `${address} ${why}`,
    setting: setting2
  });
  const special = specialPurposeOf(address);
  if (special && !rules.allowReserved) {
    const why = `is not a public address: ${special}. It cannot be reached from the internet. Ask your provider for one that can.`;
    return refuse3("address-not-public", "allow-reserved-address", why);
  }
  if (!rules.isPrefix && !rules.allowReserved && hasZeroHost(address)) {
    const why = "has a host part of zero, which means any router of its subnet and no host (RFC 4291 section 2.6.1). Check where it comes from.";
    return refuse3("address-not-public", "allow-reserved-address", why);
  }
  const cloudflare = cloudflareRanges.find((range) => range.contains(address));
  if (cloudflare) {
    const why = `is in ${cloudflare.text}, a range of Cloudflare's proxy, so it does not belong to this host. Look for a proxy or VPN between the host and the internet.`;
    return refuse3("address-unexpected", "address", why);
  }
  if (rules.expectedCidrs.length > 0 && !rules.expectedCidrs.some((range) => range.contains(address))) {
    const ranges = rules.expectedCidrs.map((range) => range.text).join(", ");
    const why = `is outside the expected ranges (${ranges}). If your provider did not move you to another range, it is the address of another network.`;
    return refuse3("address-unexpected", "expected-cidr", why);
  }
  return null;
}
function hasZeroHost(address) {
  return address.includes(":") && BigInt.asUintN(64, ipv6Bits(address)) === 0n;
}
function rangeIn(text) {
  const [network = "", prefix] = text.split("/");
  return rangeOf(network, Number(prefix), network.includes(":") ? 6 : 4);
}
var specialPurposeRanges = [
  ["0.0.0.0/8", '"this network" (RFC 791)'],
  ["10.0.0.0/8", "private (RFC 1918)"],
  ["100.64.0.0/10", "carrier-grade NAT, shared by customers of a provider (RFC 6598)"],
  ["127.0.0.0/8", "loopback (RFC 1122)"],
  ["169.254.0.0/16", "link-local (RFC 3927)"],
  ["172.16.0.0/12", "private (RFC 1918)"],
  ["192.0.0.0/24", "protocol assignments (RFC 6890)"],
  ["192.0.2.0/24", "documentation (RFC 5737)"],
  ["192.31.196.0/24", "AS112 anycast (RFC 7535)"],
  ["192.52.193.0/24", "AMT anycast (RFC 7450)"],
  ["192.88.99.0/24", "deprecated 6to4 relay anycast (RFC 7526)"],
  ["192.168.0.0/16", "private (RFC 1918)"],
  ["192.175.48.0/24", "AS112 anycast (RFC 7534)"],
  ["198.18.0.0/15", "benchmarking (RFC 2544)"],
  ["198.51.100.0/24", "documentation (RFC 5737)"],
  ["203.0.113.0/24", "documentation (RFC 5737)"],
  ["224.0.0.0/4", "multicast (RFC 5771)"],
  ["240.0.0.0/4", "reserved or broadcast (RFC 1112, RFC 919)"],
  ["::/128", "unspecified (RFC 4291)"],
  ["::1/128", "loopback (RFC 4291)"],
  ["::ffff:0.0.0.0/96", "a mapped IPv4 address (RFC 4291)"],
  ["64:ff9b::/96", "IPv4 translation (RFC 6052)"],
  ["64:ff9b:1::/48", "local-use IPv4 translation (RFC 8215)"],
  ["100::/64", "discard-only (RFC 6666)"],
  ["100:0:0:1::/64", "the dummy prefix (RFC 9780)"],
  ["2001::/32", "Teredo tunnelling (RFC 4380)"],
  ["2001:2::/48", "benchmarking (RFC 5180)"],
  ["2001:3::/32", "AMT anycast (RFC 7450)"],
  ["2001:4:112::/48", "AS112 anycast (RFC 7535)"],
  ["2001:10::/28", "former ORCHID identifiers (RFC 4843)"],
  ["2001:20::/28", "ORCHIDv2 identifiers (RFC 7343)"],
  ["2001:30::/28", "drone identifiers (RFC 9374)"],
  ["2001::/23", "protocol assignments (RFC 2928)"],
  ["2001:db8::/32", "documentation (RFC 3849)"],
  ["2002::/16", "6to4 tunnelling (RFC 3056)"],
  ["2620:4f:8000::/48", "AS112 anycast (RFC 7534)"],
  ["3fff::/20", "documentation (RFC 9637)"],
  ["5f00::/16", "segment routing (RFC 9602)"],
  ["fc00::/7", "unique local, private (RFC 4193)"],
  ["fe80::/10", "link-local (RFC 4291)"],
  ["fec0::/10", "former site-local (RFC 3879)"],
  ["ff00::/8", "multicast (RFC 4291)"]
].map(([range, what]) => ({ range: rangeIn(range), what }));
var globalUnicast = rangeIn("2000::/3");
function specialPurposeOf(address) {
  const found = specialPurposeRanges.find(({ range }) => range.contains(address));
  if (found) return `${found.what}, in ${found.range.text}`;
  const isUnicast = !address.includes(":") || globalUnicast.contains(address);
  return isUnicast ? null : `outside ${globalUnicast.text}, global unicast (RFC 4291)`;
}
var cloudflareRanges = [
  "103.21.244.0/22",
  "103.22.200.0/22",
  "103.31.4.0/22",
  "104.16.0.0/13",
  "104.24.0.0/14",
  "108.162.192.0/18",
  "131.0.72.0/22",
  "141.101.64.0/18",
  "162.158.0.0/15",
  "172.64.0.0/13",
  "173.245.48.0/20",
  "188.114.96.0/20",
  "190.93.240.0/20",
  "197.234.240.0/22",
  "198.41.128.0/17",
  "2400:cb00::/32",
  "2405:8100::/32",
  "2405:b500::/32",
  "2606:4700::/32",
  "2803:f800::/32",
  "2a06:98c0::/29",
  "2c0f:f248::/32"
].map(rangeIn);

// action/address/interface.ts
function listInterfaces() {
  return withStates((0, import_node_os.networkInterfaces)(), readProcFile("/proc/self/net/if_inet6"));
}
var unusableFlags = [
  [32, "deprecated"],
  [64, "tentative"],
  [8, "a duplicate"],
  [1, "temporary"]
];
function withStates(interfaces, table3) {
  const states = /* @__PURE__ */ new Map();
  for (const line of table3.split("\n")) {
    const [hex = "", , , , flags = "", device = ""] = line.trim().split(/\s+/);
    if (!/^[0-9a-f]{32}$/.test(hex)) continue;
    const found = unusableFlags.find(([flag]) => (Number.parseInt(flags, 16) & flag) !== 0);
    states.set(`${device} ${ipv6Text(BigInt(`0x${hex}`))}`, found?.[1] ?? null);
  }
  const marked = Object.entries(interfaces).map(([device, addresses = []]) => [
    device,
    addresses.map((info2) => {
      const state2 = states.get(`${device} ${info2.address}`);
      return state2 === void 0 ? info2 : { ...info2, state: state2 };
    })
  ]);
  return Object.fromEntries(marked);
}
function askInterface({ device }, type, interfaces, allowReserved, keyOf) {
  const family = families[type];
  const addresses = interfaces[device];
  if (!addresses) {
    const names = Object.keys(interfaces).map(quote).join(", ");
    return { problem: `this host has ${names ? `no such interface, only ${names}` : "no interfaces"}` };
  }
  const listed = addresses.filter(({ internal, scopeid }) => !internal && !scopeid).flatMap(({ address: address2, state: state2 }) => {
    const parsed = family.parse(address2);
    return parsed === null ? [] : { address: parsed, state: state2 };
  });
  const usable = listed.flatMap(
    ({ address: address2, state: state2 }) => !state2 && (allowReserved || specialPurposeOf(address2) === null) ? address2 : []
  );
  const candidates = [...new Map(usable.map((address2) => [keyOf(address2), address2])).values()];
  const [address] = candidates;
  if (address === void 0) {
    const found = listed.map(({ address: address2, state: state2 }) => `${address2}: ${state2 ?? specialPurposeOf(address2)}`).join("; ");
    return { problem: `has no public IPv${family.version} address${found === "" ? "" : ` (${found})`}` };
  }
  if (candidates.length === 1) return { value: address };
  const isUnmarked = type === "AAAA" && listed.every(({ state: state2 }) => state2 === void 0);
  const advice2 = isUnmarked ? "; this system does not tell which are deprecated or temporary: use an echo service instead" : "";
  return {
    problem: `has ${candidates.length} addresses to choose from (${candidates.join(", ")})${advice2}`,
    candidates
  };
}

// action/deadline.ts
var systemClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => new Promise((resolve2) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve2();
    };
    const timer = setTimeout(end, signal?.aborted ? 0 : ms);
    signal?.addEventListener("abort", end);
  }),
  random: Math.random
};
var maxCallMs = 1e4;
var callsInRound = 5;
function startDeadline(totalMs, clock, callMs = Math.min(maxCallMs, totalMs / callsInRound)) {
  const end = clock.now() + totalMs;
  return {
    callMs,
    remainingMs: () => Math.max(0, end - clock.now())
  };
}

// action/problem.ts
function unhandledError(error2, consequence = "It may have written records by then") {
  const what = error2 instanceof Error ? quote(`${error2.name}: ${error2.message}`) : "an unknown error";
  return {
    reason: "unexpected",
    message: `Homeport failed unexpectedly with ${what}. ${consequence}. Check the records, and report this.`
  };
}

// action/result.ts
var severity = {
  unchanged: 0,
  "would-create": 1,
  "would-update": 1,
  created: 2,
  updated: 2,
  failed: 3
};
function mayBeStale(problem) {
  return problem?.reason === "zone-not-found" || problem?.reason === "token-rejected";
}
function withoutRound(problem) {
  return { records: [], votes: [], warnings: [], problem, requests: 0, elapsedMs: 0 };
}
function failedRound(error2) {
  return withoutRound(unhandledError(error2));
}
function overall(round) {
  if (round.problem) return "failed";
  const [worst] = round.records.toSorted((one, other) => severity[other.result] - severity[one.result]);
  return worst?.result ?? "failed";
}

// lib/in-front.ts
function isFromFront(status, header, body) {
  return (status === 401 || status === 403) && (/^\s*</.test(body) || Boolean(header("cf-mitigated")));
}
var frontAdvice = "Something in front of the API answered, such as a bot protection or a proxy. This says nothing of the token";

// lib/exchange.ts
function parseRetryAfter(value, nowMs) {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1e3;
  const date = /^[A-Z][a-z]{2}, .{20,25} GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
function parseRateLimits(value) {
  return value.split(",").flatMap((policy) => {
    const number = (name) => Number(new RegExp(`;\\s*${name}=(\\d{1,9})\\s*(;|$)`).exec(policy)?.[1] ?? Number.NaN);
    const [remaining, resetSeconds] = [number("r"), number("t")];
    return Number.isNaN(remaining + resetSeconds) ? [] : [{ remaining, resetMs: resetSeconds * 1e3 }];
  });
}
function responseOf(status, header, body) {
  return {
    kind: "response",
    status,
    contentType: (header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
    retryAfterMs: parseRetryAfter(header("retry-after"), Date.now()),
    rateLimits: parseRateLimits(header("ratelimit") ?? ""),
    body,
    isFromFront: isFromFront(status, header, body),
    header
  };
}
function ended({ timeoutMs }, isTimeout) {
  return isTimeout ? failure("timeout", `no complete response within ${(timeoutMs / 1e3).toFixed(1)} s`) : failure("aborted", "not needed any more");
}
function broken(responding, error2) {
  const what = error2 === void 0 ? "closed" : nameOf(error2);
  if (responding) return failure("cut", `the response was cut off (${what})`, error2);
  const detail = what === "ENOTFOUND" ? "this machine cannot resolve its name (ENOTFOUND)" : `no response (${what})`;
  return failure(what === "ECONNRESET" ? "reset" : "network", detail, error2);
}
function explainFailure({ detail, fix }) {
  return fix === void 0 ? detail : `${detail}. ${fix}`;
}
function tooLarge({ maxBytes: maxBytes2 }) {
  return failure("too-large", `the response is longer than ${maxBytes2} bytes`);
}
function failure(cause, detail, error2) {
  return { kind: "failure", cause, detail, ...error2 !== void 0 && { error: error2 } };
}
function nameOf(error2) {
  if (!(error2 instanceof Error)) return "unknown error";
  const code = "code" in error2 ? error2.code : null;
  return typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(error2.message);
}

// action/tell.ts
var maxTellMs = 1e4;
var maxBytes = 64 * 1024;
async function tell(exchange3, request, what, timeoutMs = maxTellMs) {
  const outcome = await exchange3({ ...request, timeoutMs, maxBytes });
  if (outcome.kind === "response" && outcome.status >= 200 && outcome.status < 300) return [];
  const why = outcome.kind === "failure" ? explainFailure(outcome) : `it returned ${outcome.status}`;
  return [`${what}: ${why}. The records are not affected.`];
}

// action/heartbeat.ts
var tellShare = 1 / 6;
function tellLimitMs(timeoutMs) {
  return Math.min(maxTellMs, timeoutMs * tellShare);
}
async function withHeartbeat(url, round, exchange3, isStopping, limitMs) {
  const what = "The monitor at heartbeat-url did not accept a heartbeat";
  const beat = (to) => tell(exchange3, { method: "GET", url: to, headers: {} }, what, limitMs);
  const takesSuffix = !/[?#]/.test(url);
  const base = url.replace(/\/$/, "");
  const starting = takesSuffix ? beat(`${base}/start`) : [];
  const result = await round();
  const started = await starting;
  const isFailed = overall(result) === "failed";
  const silent = isFailed && (!takesSuffix || isStopping());
  const ended2 = silent ? [] : await beat(isFailed ? `${base}/fail` : url);
  const sent = (takesSuffix ? 1 : 0) + (silent ? 0 : 1);
  return {
    ...result,
    requests: result.requests + sent,
    warnings: [...result.warnings, ...started, ...ended2]
  };
}

// node_modules/@actions/http-client/lib/proxy.js
function getProxyUrl(reqUrl) {
  const usingSsl = reqUrl.protocol === "https:";
  if (checkBypass(reqUrl)) {
    return void 0;
  }
  const proxyVar = (() => {
    if (usingSsl) {
      return process.env["https_proxy"] || process.env["HTTPS_PROXY"];
    } else {
      return process.env["http_proxy"] || process.env["HTTP_PROXY"];
    }
  })();
  if (proxyVar) {
    try {
      return new DecodedURL(proxyVar);
    } catch (_a) {
      if (!proxyVar.startsWith("http://") && !proxyVar.startsWith("https://"))
        return new DecodedURL(`http://${proxyVar}`);
    }
  } else {
    return void 0;
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
  const noProxy = process.env["no_proxy"] || process.env["NO_PROXY"] || "";
  if (!noProxy) {
    return false;
  }
  let reqPort;
  if (reqUrl.port) {
    reqPort = Number(reqUrl.port);
  } else if (reqUrl.protocol === "http:") {
    reqPort = 80;
  } else if (reqUrl.protocol === "https:") {
    reqPort = 443;
  }
  const upperReqHosts = [reqUrl.hostname.toUpperCase()];
  if (typeof reqPort === "number") {
    upperReqHosts.push(`${upperReqHosts[0]}:${reqPort}`);
  }
  for (const upperNoProxyItem of noProxy.split(",").map((x) => x.trim().toUpperCase()).filter((x) => x)) {
    if (upperNoProxyItem === "*" || upperReqHosts.some((x) => x === upperNoProxyItem || x.endsWith(`.${upperNoProxyItem}`) || upperNoProxyItem.startsWith(".") && x.endsWith(`${upperNoProxyItem}`))) {
      return true;
    }
  }
  return false;
}
function isLoopbackAddress(host) {
  const hostLower = host.toLowerCase();
  return hostLower === "localhost" || hostLower.startsWith("127.") || hostLower.startsWith("[::1]") || hostLower.startsWith("[0:0:0:0:0:0:0:1]");
}
var DecodedURL = class extends URL {
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
};

// lib/node-exchange.ts
var import_node_http2 = require("node:http");
var import_node_https2 = require("node:https");
var import_promises = require("node:timers/promises");

// lib/agent.ts
var import_node_http = require("node:http");
var import_node_https = require("node:https");
var keptOpen = { keepAlive: true, timeout: 4e3 };
function createAgents(options, proxyEnv = {}) {
  const isProxied = Boolean(proxyEnv["HTTPS_PROXY"] || proxyEnv["https_proxy"]);
  if (isProxied) waitForAddresses();
  const byHttp = patient(new import_node_http.Agent(options));
  let byHttps;
  return (url) => {
    if (!url.startsWith("https:")) return byHttp;
    byHttps ??= isProxied ? new import_node_https.Agent({ ...options, proxyEnv }) : patient(new import_node_https.Agent(options));
    return byHttps;
  };
}
function patient(agent) {
  const connect = agent.createConnection.bind(agent);
  const connectPatiently = ({ proxy, family = 0, ...target }, callback) => {
    if (proxy) {
      const start = (socket) => callback?.(null, connect({ ...target, socket }));
      openTunnel(proxy, target).then(start, callback);
      return void 0;
    }
    const lookup2 = (host, given2, done) => countedLookup(host, { ...given2, family }, done);
    return connect({ autoSelectFamilyAttemptTimeout: maxAttemptMs, ...target, lookup: lookup2 });
  };
  return Object.assign(agent, { createConnection: connectPatiently });
}
function openTunnel(proxy, { host, port, stop: stop2 }) {
  const path = `${host?.includes(":") ? `[${host}]` : host}:${port}`;
  const credentials = Buffer.from(`${proxy.username}:${proxy.password}`).toString("base64");
  const headers = { Host: path, ...proxy.username && { "Proxy-Authorization": `Basic ${credentials}` } };
  const isSecure2 = proxy.protocol === "https:";
  const request = isSecure2 ? import_node_https.request : import_node_http.request;
  return new Promise((resolve2, reject) => {
    const sent = request({
      method: "CONNECT",
      path,
      headers,
      agent: createAgents({})(proxy.href),
      signal: stop2,
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || (isSecure2 ? 443 : 80)
    });
    sent.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve2(socket);
      socket.destroy();
      reject(Object.assign(new Error(`status ${statusCode}`), { proxyStatus: statusCode }));
    });
    sent.once("error", (error2) => reject(Object.assign(error2, { proxyStatus: null })));
    sent.end();
  });
}

// lib/certificate.ts
var untrusted = /^(CERT_(?!HAS_EXPIRED$|NOT_YET_VALID$)\w+|UNABLE_TO_\w+|(DEPTH_ZERO_)?SELF_SIGNED_CERT\w*|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/;
var wrongName = ["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH"];
function explainCertificate(code, now = /* @__PURE__ */ new Date()) {
  if (code === "CERT_NOT_YET_VALID" || code === "CERT_HAS_EXPIRED") {
    const is = code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet";
    return {
      detail: `its certificate ${is} by the clock of this machine (${code})`,
      fix: `The clock says ${now.toISOString().slice(0, 16).replace("T", " ")} UTC. If that is wrong, set it, and keep it in sync with NTP. If it is right, the server needs a new certificate`
    };
  }
  if (wrongName.includes(code)) {
    return {
      detail: `its certificate is for another name (${code})`,
      fix: "Check the URL, and look for a captive portal or a proxy that answers instead"
    };
  }
  if (!untrusted.test(code)) return null;
  const isAlone = code === "UNABLE_TO_VERIFY_LEAF_SIGNATURE";
  const alone = isAlone ? "came without an intermediate one, or " : "";
  return {
    detail: `its certificate ${alone}is from an authority that Node.js does not trust (${code})`,
    fix: (isAlone ? "If the server is yours, give it the whole chain, such as fullchain.pem. " : "") + "If a company or an antivirus program inspects TLS, set the environment variable NODE_EXTRA_CA_CERTS to the file of its authority (PEM), or NODE_USE_SYSTEM_CA to 1 if the system trusts it"
  };
}

// lib/node-exchange.ts
var pauseMs = 250;
function createNodeExchange(own = {}, agentFor = createAgents(keptOpen)) {
  return (request, proxy) => sendWhenOnline({ ...request, headers: { ...own, ...request.headers } }, agentFor(request.url), proxy);
}
async function sendWhenOnline(request, agent, proxy) {
  const { family } = request;
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(request.timeoutMs)));
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  const isUnsent = (outcome) => outcome.kind === "failure" && outcome.cause === "unsent" && !(family && /UNREACH/.test(nameOf(outcome.error)));
  for (let earlier; ; ) {
    earlier = await send(request, signal, { agent, proxy }, earlier);
    if (isUnsent(earlier)) await (0, import_promises.setTimeout)(pauseMs, void 0, { signal }).catch(() => {
    });
    if (!isUnsent(earlier) || signal.aborted) return earlier;
  }
}
function send(request, stop2, connecting, earlier) {
  const { method, url, headers, body, maxBytes: maxBytes2, family, timeoutMs } = request;
  return new Promise((resolve2) => {
    const options = {
      ...connecting,
      method,
      headers,
      family,
      stop: stop2,
      autoSelectFamilyAttemptTimeout: Math.ceil(Math.min(maxAttemptMs, timeoutMs / 2))
    };
    const requestBy = url.startsWith("https:") ? import_node_https2.request : import_node_http2.request;
    let sent;
    try {
      sent = requestBy(url, options, read);
    } catch (error2) {
      resolve2(explained(error2));
      return;
    }
    let responding = false;
    let answered = false;
    stop2.addEventListener("abort", failBy);
    sent.once("close", () => {
      stop2.removeEventListener("abort", failBy);
      if (!answered) failBy();
    });
    sent.once("error", (error2) => failBy(ofAddress(error2)));
    sent.end(body);
    if (stop2.aborted) failBy();
    function failBy(error2) {
      const isTimeout = !request.signal?.aborted;
      const isUnsent = isTimeout && sent.socket?.connecting !== false;
      if (stop2.aborted) fail2(isUnsent && earlier || ended(request, isTimeout));
      else if (isOffline(error2)) fail2(failure("unsent", `no response (${nameOf(error2)})`, error2));
      else fail2(responding ? broken(true, error2) : explained(error2));
    }
    function fail2(reason) {
      resolve2(reason);
      sent.destroy();
    }
    function read(response) {
      responding = true;
      const chunks = [];
      let bytes = 0;
      response.on("data", (chunk) => {
        bytes += chunk.length;
        if (bytes > maxBytes2) fail2(tooLarge(request));
        else chunks.push(chunk);
      });
      response.once("error", failBy);
      response.once("end", () => {
        answered = true;
        const { statusCode: status = 0, headers: received } = response;
        const header = (name) => received[name]?.toString() ?? null;
        resolve2(responseOf(status, header, Buffer.concat(chunks).toString("utf8")));
      });
    }
  });
}
function explained(error2) {
  const certificate = explainCertificate(nameOf(error2));
  if (certificate === null) return broken(false, error2);
  return { ...failure("untrusted", certificate.detail, error2), fix: certificate.fix };
}

// action/http.ts
var send2 = createNodeExchange({ "user-agent": "homeport-action" });
var proxyRefusal = "the proxy requires a user name and password, or rejected them (407). Set them in https_proxy, as in http://USER:PASSWORD@host:port, with special characters percent-encoded";
async function exchange(request) {
  const url = new URL(request.url);
  const proxy = getProxyUrl(url);
  const outcome = await send2(request, proxy);
  if (outcome.kind === "response") return outcome;
  const { cause, detail, error: error2 } = outcome;
  if (cause === "timeout" && pendingLookups((proxy ?? url).hostname) > 0)
    return { ...outcome, detail: `${detail}: its name was not resolved` };
  if (!(error2 instanceof Error && "proxyStatus" in error2)) return outcome;
  if (error2.proxyStatus === 407) return failure("proxy", proxyRefusal);
  return { ...outcome, detail: `the proxy in https_proxy: ${detail}` };
}

// action/inputs/command.ts
var import_node_fs4 = require("node:fs");
var import_node_path2 = require("node:path");
var import_node_util = require("node:util");

// lib/exposed-file.ts
var import_node_fs2 = require("node:fs");
var import_node_path = require("node:path");
var secretFolders = ["/run/secrets", "/var/run/secrets"];
function isExposed(file, env2, mounts = readProcFile("/proc/self/mountinfo")) {
  try {
    const path = (0, import_node_fs2.realpathSync)(file);
    const { mode } = (0, import_node_fs2.statSync)(path);
    if ((mode & 61444) !== 32772 || process.platform === "win32") return false;
    const folders = [
      ...secretFolders,
      ...env2["CREDENTIALS_DIRECTORY"] ? [env2["CREDENTIALS_DIRECTORY"]] : []
    ];
    return isReachable(path) && !folders.some((folder) => isAtOrBelow(path, folder)) && !isReadOnly(path, mounts);
  } catch {
    return false;
  }
}
function isReachable(path) {
  const folder = (0, import_node_path.dirname)(path);
  return folder === path || ((0, import_node_fs2.statSync)(folder).mode & 1) !== 0 && isReachable(folder);
}
function isAtOrBelow(path, folder) {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
function isReadOnly(path, mounts) {
  let innermost = "";
  let readOnly = false;
  for (const line of mounts.split("\n")) {
    const [, , , , escaped = "", options = "", ...rest] = line.split(" ");
    const point = escaped.replace(
      /\\([0-7]{3})/g,
      (_, digits) => String.fromCharCode(Number.parseInt(digits, 8))
    );
    if (point === "" || !isAtOrBelow(path, point) || point.length < innermost.length) continue;
    innermost = point;
    readOnly = [options, rest.at(-1) ?? ""].some((list2) => list2.split(",").includes("ro"));
  }
  return readOnly;
}

// lib/near-names.ts
function misspelled(name, known, isSecret = namesSecret) {
  const plain = plainOf(name.slice(0, maxNameCharacters2));
  const maxEdits = plain.length < 8 ? 1 : 2;
  const [nearest] = known.map((meant) => ({ meant, edits: countEdits(plain, plainOf(meant)) })).toSorted((one, other) => one.edits - other.edits);
  if (!nearest || nearest.edits > maxEdits) return null;
  const isAnotherSecret = nearest.edits > 0 && isSecret(nearest.meant) && namesSecret(plain);
  return isAnotherSecret ? null : nearest.meant;
}
function plainOf(name) {
  return name.toLowerCase().replaceAll(/[-_]/g, "").replace(/ies$/, "y");
}
function namesSecret(name) {
  return /token|secret|key|pass|credential/i.test(name);
}
var maxNameCharacters2 = 64;
function countEdits(from, to) {
  let row2 = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at++) {
    const next2 = [at];
    for (let index = 1; index <= to.length; index++) {
      const replaced = (row2[index - 1] ?? 0) + (from[at - 1] === to[index - 1] ? 0 : 1);
      next2.push(Math.min((row2[index] ?? 0) + 1, (next2[index - 1] ?? 0) + 1, replaced));
    }
    row2 = next2;
  }
  return row2[to.length] ?? 0;
}

// lib/text-file.ts
var import_node_fs3 = require("node:fs");
function readTextFile(path, maxBytes2) {
  let descriptor = null;
  try {
    descriptor = path === 0 ? 0 : (0, import_node_fs3.openSync)(path, "r");
    const buffer = Buffer.alloc(maxBytes2 + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes2; length += read) {
      read = (0, import_node_fs3.readSync)(descriptor, buffer, length, buffer.length - length, null);
    }
    if (length > maxBytes2)
      return { problem: `has more than ${maxBytes2 / 1024} KiB. Check the path, and what the file contains.` };
    return decodeText(buffer.subarray(0, length));
  } catch (error2) {
    return { problem: `cannot be read (${nameOf(error2)}). Check the path and its permissions.` };
  } finally {
    if (descriptor) (0, import_node_fs3.closeSync)(descriptor);
  }
}
function decodeText(bytes) {
  try {
    if (!bytes.includes(0)) return { value: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
  }
  return { problem: "is not UTF-8 text. Save it as UTF-8: with >, PowerShell writes UTF-16." };
}

// lib/secret-file.ts
function readSecretFile(path, maxBytes2) {
  const reading = readTextFile(path, maxBytes2);
  if ("problem" in reading) return reading;
  const value = reading.value.trim();
  return value === "" ? { problem: "is empty. Fill it, or remove the setting." } : { value };
}
var maxServerSecretBytes = 64 * 1024;

// lib/settings/table.ts
function variableOf(name) {
  return name.toUpperCase().replaceAll("-", "_");
}
function rowsOf(table3) {
  return Object.entries(table3);
}
function readRows(table3, given2, { context, skipped = [], nameOf: nameOf3 = (name) => name } = {}) {
  const problems = [];
  const values = {};
  for (const [name, { read, field = camelName(name), default: standard = "", fix }] of rowsOf(table3)) {
    if (!read || skipped.includes(name)) continue;
    const text = textIn(given2, name);
    const reading = text === null ? notText : text === "" && fix ? missing(fix) : (
      // Each row says itself what it needs of the rows above.
      read(text || standard, { ...context, ...values })
    );
    if ("value" in reading) values[field] = reading.value;
    else
      for (const problem of reading.problems) problems.push(redactTokenShapes(`${nameOf3(name)} ${problem}`));
  }
  return { values, problems };
}
function textIn(given2, name) {
  const found = given2[name] ?? "";
  return typeof found === "object" ? null : String(found).trim();
}
var notText = { problems: ["is not a text. Set one."] };
var missing = (fix) => ({ problems: [`is missing. ${fix}`] });
function camelName(name) {
  const words = name === name.toUpperCase() ? name.toLowerCase() : name;
  return words.replace(/[-_]([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

// action/records/record.ts
var tokenLink = "https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=%5B%7B%22key%22%3A%22dns%22%2C%22type%22%3A%22edit%22%7D%5D&accountId=%2A&zoneId=all&name=homeport";

// lib/json.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

// lib/cloudflare.ts
var cloudflareUrl = "https://api.cloudflare.com";
var apiPath = "/client/v4";
var cloudflareApiUrl = cloudflareUrl + apiPath;
var maxErrors = 10;
var maxDepth = 32;
function parseEnvelope(body) {
  return readEnvelope(parseObject(body));
}
function readEnvelope(json) {
  if (!isObject(json) || !isWithinDepth(json, maxDepth) || typeof json["success"] !== "boolean") return null;
  return {
    success: json["success"],
    errors: errorsIn(json["errors"]).slice(0, maxErrors),
    result: json["result"],
    resultInfo: json["result_info"]
  };
}
function errorsIn(value) {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap((error2) => {
    const { code, message } = error2;
    const listed = typeof code === "number" ? [{ code, message: typeof message === "string" ? message : "" }] : [];
    return [...listed, ...errorsIn(error2["error_chain"])];
  });
}
function isWithinDepth(value, depth) {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}
var malformedTokenCodes = [6003, 6103, 6111];

// lib/port.ts
function parsePort(text) {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65535 ? port : null;
}

// lib/record-type.ts
var recordTypes = ["A", "AAAA"];
function sortTypes(types2) {
  return recordTypes.filter((type) => types2.includes(type));
}

// lib/url.ts
function parseUrl(text) {
  return /[\s\\\p{Cc}\p{Cf}]/u.test(text) ? null : URL.parse(text);
}
function parseSafeUrl(text) {
  const url = parseUrl(text);
  return url && isSecure(url) ? url : null;
}
function isSecure({ protocol, hostname }) {
  return protocol === "https:" || protocol === "http:" && isLoopback(hostname);
}
function isLoopback(hostname) {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
function hasCredentials({ username, password }) {
  return username !== "" || password !== "";
}
function parseProxy(text) {
  const url = parseUrl(text);
  const usable = url !== null && /^https?:$/.test(url.protocol) && url.pathname + url.search + url.hash === "/" && [url.username, url.password].every(isDecodable);
  return usable ? url : null;
}
function isDecodable(text) {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

// lib/settings/readers.ts
function refuse(problem) {
  return { problems: [problem] };
}
function refuseText(text, fix) {
  return refuse(`is ${quote(text)}. ${fix}.`);
}
function optional(read) {
  return (text, earlier) => text === "" ? { value: null } : read(text, earlier);
}
function boolean(text) {
  const reading = choice("true", "false")(text);
  return "value" in reading ? { value: reading.value === "true" } : reading;
}
function choice(...choices) {
  return (text) => {
    const value = choices.find((allowed) => allowed === text.toLowerCase());
    return value === void 0 ? refuseText(text, `Use ${either(choices)}`) : { value };
  };
}
function either(words) {
  return words.join(", ").replace(/, (?=[^,]*$)/, " or ");
}
var unitsMs = {
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 36e5,
  d: 864e5
};
function readDuration(text, limits) {
  const [, amount, unit = ""] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const value = Number(amount) * (unitsMs[unit] ?? Number.NaN);
  return value >= limits.minMs && value <= limits.maxMs ? { value } : refuseText(text, `Use a time from ${limits.range}`);
}
var maxSecretUrlKiB = 8;
function secretUrl(text) {
  const url = parseSafeUrl(text);
  return url && !hasCredentials(url) && text.length <= maxSecretUrlKiB * 1024 ? { value: url.href } : refuse(
    `is not one https URL of at most ${maxSecretUrlKiB} KiB, without white space, user name or password (http only on loopback). Paste it again.`
  );
}
function readRecordTypes(text) {
  const words = text.toUpperCase().split(",").map((word) => word.trim());
  const [first, ...others] = words.flatMap((word) => recordTypes.filter((type) => type === word));
  return first === void 0 || words.length !== others.length + 1 || others.includes(first) ? refuseText(text, "Use A, AAAA, or A,AAAA") : { value: [first, ...others] };
}
function hexId(source) {
  return (text) => {
    if (/^[0-9a-f]{32}$/i.test(text)) return { value: text.toLowerCase() };
    return refuseText(text, `Use the 32 hex digits from ${source}`);
  };
}
function list(parse, { separator = /[\s,]+/, max = Number.POSITIVE_INFINITY, advice: advice2 = "", keyOf } = {}) {
  return (text) => {
    const entries = text.split(separator).flatMap((entry) => entry.trim() || []);
    if (entries.length > max)
      return refuse(`lists ${entries.length} entries. The limit is ${max}. ${advice2}`.trim());
    const seen = /* @__PURE__ */ new Set();
    const value = [];
    const problems = entries.flatMap((entry) => {
      const reading = parse(entry);
      if ("problem" in reading) return [`has ${quote(entry)}, which ${reading.problem}.`];
      const key = keyOf?.(reading.value);
      if (key !== void 0 && seen.has(key)) return [`lists ${key} twice. Remove one of them.`];
      if (key !== void 0) seen.add(key);
      value.push(reading.value);
      return [];
    });
    return problems.length > 0 ? { problems } : { value };
  };
}

// action/inputs/services.ts
var maxSecretBytes = 8 * 1024;
function readToken(token) {
  if (token.length > maxSecretBytes)
    return refuse(`has ${token.length} characters. No token is that long. Paste only the token.`);
  if (/^["'`].*["'`]$/s.test(token)) return refuse("is in quotes. Store the token without them.");
  if (/^bearer\s/i.test(token)) return refuse('starts with "Bearer". Paste only the token.');
  if (token.startsWith("cfk_") || /^[0-9a-f]{37}$/i.test(token))
    return refuse(
      `is a global API key, which can change everything in the account. To create a token that can only edit DNS, open ${tokenLink} and select this zone only.`
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    return refuse(
      "contains white space or characters that tokens never contain. Paste it again, on one line."
    );
  return { value: token };
}
function readGivenToken(text, { tokenHint: tokenHint2 }) {
  return text === "" ? { problems: tokenHint2 === null ? [] : [`is missing. ${tokenHint2}`] } : readToken(text);
}
function readBaseUrl(text) {
  const url = parseSafeUrl(text);
  if (!url)
    return refuse(
      `is ${quote(text)}. Use an https URL (http only on loopback), because the token is sent there.`
    );
  if (hasCredentials(url)) return refuse("contains a user name or password. Remove them.");
  if (/^(\/client\/v4)?\/?$/.test(url.pathname) && url.search === "" && url.hash === "")
    return { value: url.origin };
  return refuse(
    `is ${quote(text)}. Use the root of the API, such as ${cloudflareUrl}. Homeport adds the path.`
  );
}
function proxyProblems(env2) {
  return ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"].flatMap((name) => {
    const value = env2[name];
    if (!value || parseProxy(value) !== null) return [];
    const fix = "so requests could bypass it. Write it as http://host:port.";
    return [`${name} is not the URL of an HTTP proxy, ${fix}`];
  });
}

// action/notify.ts
var notifyFormats = ["text", "json"];
var maxMessageCharacters = 2e3;
var roomForCount = 20;
async function notify(to, records, exchange3, limitMs) {
  const changes = records.filter(
    ({ result, ifServed }) => ["updated", "created"].includes(ifServed ?? result)
  );
  if (changes.length === 0) return [];
  const text = messageOf(changes);
  const isJson = to.format === "json";
  const headers = { "Content-Type": isJson ? "application/json" : "text/plain" };
  const body = isJson ? JSON.stringify({ text, content: text }) : text;
  const what = `${new URL(to.url).host} did not accept the message`;
  return tell(exchange3, { method: "POST", url: to.url, headers, body }, what, limitMs);
}
function messageOf(changes) {
  const lines = changes.map(describeChange);
  const text = lines.join("\n");
  if (text.length <= maxMessageCharacters) return text;
  const shown = text.slice(0, text.lastIndexOf("\n", maxMessageCharacters - roomForCount));
  return `${shown}
and ${lines.length - shown.split("\n").length} more`;
}
function describeChange({ hostname, type, previousAddress, address, drift }) {
  const parts = drift.map(({ field, found, wanted }) => `${field} changed from ${found} to ${wanted}`);
  if (previousAddress === null) parts.unshift(`created with ${address}`);
  else if (previousAddress !== address) parts.unshift(`changed from ${previousAddress} to ${address}`);
  return `${hostname} (${type}): ${parts.join(", ")}`;
}

// lib/ipv6-suffix.ts
function parseSuffix(text) {
  const [hostText = "", lengthText = "", ...rest] = text.split("/");
  const host = /\s/.test(text) ? null : parseIpv6(hostText);
  const prefixLength = /^[1-9]\d{0,2}$/.test(lengthText) ? Number(lengthText) : 0;
  if (rest.length > 0 || host === null || prefixLength < 1 || prefixLength > 127) {
    return {
      problem: "is not the host part of an IPv6 address; write it with its prefix length, such as ::1:2:3:4/64"
    };
  }
  if (ipv6Bits(host) === 0n) return { problem: "names no host after the prefix" };
  if (ipv6Network(host, prefixLength) !== "::") {
    return { problem: `has bits inside its prefix of ${prefixLength} bits; leave them zero` };
  }
  return { value: { host, prefixLength } };
}
function withSuffix(address, { host, prefixLength }) {
  return ipv6Text(ipv6Bits(ipv6Network(address, prefixLength)) | ipv6Bits(host));
}

// action/address/echo.ts
var maxTextBytes = 64;
var maxTraceBytes = 2048;
async function askEcho({ url, form }, type, send4) {
  const { version: version2, parse } = families[type];
  const answer = await send4({
    method: "GET",
    url,
    headers: { Accept: "text/plain" },
    family: version2,
    maxBytes: form === "trace" ? maxTraceBytes : maxTextBytes
  });
  if (answer.kind === "failure") return refusalOf(answer);
  if (answer.status !== 200) return { problem: `returned ${answer.status} instead of 200` };
  if (answer.contentType.includes("html")) return { problem: "returned a web page instead of an address" };
  const text = form === "trace" ? readTrace(answer.body) : { value: answer.body };
  if ("problem" in text) return text;
  const address = parse(text.value);
  return address ? { value: address } : { problem: `returned ${quote(text.value)}, which is not one IPv${version2} address` };
}
function refusalOf({ detail, fix }) {
  return { problem: detail, ...fix !== void 0 && { fix } };
}
function readTrace(body) {
  const valuesOf = (key) => body.split("\n").flatMap((line) => line.startsWith(`${key}=`) ? line.slice(key.length + 1) : []);
  const [ip, ...otherIps] = valuesOf("ip");
  if (ip === void 0 || otherIps.length > 0) {
    return { problem: `returned ${quote(body)}, which is not a trace with one ip= line` };
  }
  const warp = valuesOf("warp");
  if (warp.join() !== "off") {
    return { problem: `reports warp=${quote(warp.join())} instead of off, so it saw a WARP exit` };
  }
  return { value: ip };
}

// action/address/resolver.ts
var resolvers = ["https://cloudflare-dns.com/dns-query", "https://dns.google/resolve"];
var types = /* @__PURE__ */ new Map([
  [1, "A"],
  [5, "CNAME"],
  [28, "AAAA"]
]);
var mediaTypes = ["application/dns-json", "application/json"];
var maxBodyBytes = 16 * 1024;
var maxAliases = 8;
var maxTtl = 2147483647;
var refusals = {
  1: "returned FORMERR",
  2: "could not resolve the name (SERVFAIL)",
  3: "knows no such name (NXDOMAIN)",
  4: "returned NOTIMP",
  5: "returned REFUSED"
};
async function askDns(source, type, send4, keyOf) {
  const resolutions = await Promise.all(
    resolvers.map(async (url) => ({
      host: new URL(url).host,
      ...await resolve(source, type, (name) => query(url, name, type, send4), keyOf)
    }))
  );
  const said = resolutions.map((found2) => `${found2.host}: ${"value" in found2 ? found2.note : found2.problem}`).join(", ");
  const found = resolutions.flatMap((resolution) => "value" in resolution ? resolution.value : []);
  const addresses = new Map(found.map((address2) => [keyOf(address2), address2]));
  const [address] = addresses.values();
  if (address !== void 0 && addresses.size === 1 && found.length === resolutions.length) {
    return { value: address, note: said };
  }
  const candidates = resolutions.flatMap(
    (resolution) => "value" in resolution ? resolution.value : resolution.candidates ?? []
  );
  const isBlocked = resolutions.some((resolution) => "problem" in resolution && resolution.isUnusable);
  const advice2 = isBlocked ? "; if this network blocks DNS over HTTPS, use another address source" : "";
  return {
    problem: addresses.size > 1 ? `the resolvers differ: ${said}` : `${said}${advice2}`,
    ...candidates.length > 1 ? { candidates } : {},
    ...resolutions.flatMap((resolution) => "fix" in resolution ? { fix: resolution.fix } : [])[0]
  };
}
async function resolve({ hostname, managed }, type, ask2, keyOf) {
  const aliases = [];
  let ttl = Number.POSITIVE_INFINITY;
  let answers = [];
  let asked = null;
  for (let name = hostname; ; ) {
    const atName = answers.filter((answer) => answer.name === name);
    ttl = Math.min(ttl, ...atName.map((answer) => answer.ttl));
    const found = atName.filter((answer) => answer.type === type);
    const addresses = [...new Map(found.map(({ data }) => [keyOf(data), data])).values()];
    const [address] = addresses;
    if (address !== void 0 && addresses.length === 1) {
      const via = aliases.length === 0 ? "" : ` via ${aliases.map(quote).join(", ")}`;
      return { value: address, note: `${address}${via}, cached for up to ${ttl} s` };
    }
    if (addresses.length > 1) {
      return {
        problem: `${addresses.length} addresses (${addresses.join(", ")})`,
        candidates: addresses
      };
    }
    const alias = atName.find((answer) => answer.type === "CNAME");
    if (alias) {
      name = alias.data;
      aliases.push(name);
      const confirming = managed.find((target) => answersFor(target, name));
      if (confirming) return { problem: `leads to ${confirming}, which this run writes` };
      if (aliases.length > maxAliases) return { problem: `leads through more than ${maxAliases} aliases` };
      continue;
    }
    if (asked === name) return { problem: `no ${type} record of ${quote(name)}` };
    const response = await ask2(name);
    if ("problem" in response) return response;
    answers = response.value;
    asked = name;
  }
}
function answersFor(managed, name) {
  return managed === name || managed.startsWith("*.") && name.endsWith(managed.slice(1));
}
async function query(url, name, type, send4) {
  if (canonicalHostname(name) !== name) return { problem: `leads to ${quote(name)}, which is not a hostname` };
  const question = new URL(url);
  question.searchParams.set("name", name);
  question.searchParams.set("type", type);
  const answer = await send4({
    method: "GET",
    url: question.href,
    headers: { Accept: mediaTypes.join(", "), "Cache-Control": "no-cache" },
    maxBytes: maxBodyBytes
  });
  const unusable = (problem) => ({ problem, isUnusable: true });
  if (answer.kind === "failure") return { ...refusalOf(answer), isUnusable: true };
  if (answer.status !== 200) return unusable(`returned ${answer.status} instead of 200`);
  if (!mediaTypes.includes(answer.contentType)) return unusable("did not return JSON");
  return readAnswer(answer.body, name, type) ?? unusable("returned malformed JSON");
}
function readAnswer(body, name, type) {
  const answer = parseObject(body) ?? {};
  const { Status: status, TC: truncated, Question: questions, Answer: records = [] } = answer;
  const [question, ...others] = Array.isArray(questions) ? questions : [];
  if (typeof status !== "number" || truncated !== false || !isObject(question) || others.length > 0)
    return null;
  if (nameIn(question["name"]) !== name || types.get(question["type"]) !== type) return null;
  if (status !== 0) return { problem: refusals[status] ?? `returned the error code ${status}` };
  if (!Array.isArray(records)) return null;
  const answers = records.map(readRecord);
  return answers.includes(null) ? null : { value: answers.flatMap((read) => read ?? []) };
}
function readRecord(value) {
  if (!isObject(value)) return null;
  const { TTL: ttl } = value;
  const type = types.get(value["type"]);
  const name = nameIn(value["name"]);
  if (name === null || typeof ttl !== "number" || !Number.isInteger(ttl) || ttl < 0 || ttl > maxTtl)
    return null;
  if (type === void 0) return [];
  const data = type === "CNAME" ? nameIn(value["data"]) : families[type].parse(String(value["data"]));
  return data === null ? null : [{ name, type, ttl, data }];
}
function nameIn(value) {
  return typeof value === "string" && value !== "" ? value.toLowerCase().replace(/\.$/, "") : null;
}

// action/setting-names.ts
var nameOf2 = (name) => name;
function nameSettings(by) {
  nameOf2 = by;
}
function setting(name, value) {
  const named = nameOf2(name);
  if (value === void 0) return named;
  if (named === name) return `${name}: ${value}`;
  if (!named.startsWith("--")) return `${named}=${value}`;
  return value === "true" ? named : `${named} ${value}`;
}

// action/inputs/addresses.ts
var linesOrCommas = /[\n,]/;
function readTypes(text) {
  const reading = readRecordTypes(text);
  return "value" in reading ? { value: sortTypes(reading.value) } : reading;
}
function readExpectedCidrs(text, { types: types2 = [] }) {
  const reading = list(parseCidr)(text);
  if ("problems" in reading || reading.value.length === 0) return reading;
  const problems = [...new Set(types2)].flatMap((type) => {
    const { version: version2 } = families[type];
    if (reading.value.some(({ family }) => family === version2)) return [];
    return [`lists no IPv${version2} range for ${type} records. Add one.`];
  });
  return problems.length > 0 ? { problems } : reading;
}
function readGiven(text, { types: types2 }) {
  const lines = text.split(linesOrCommas).flatMap((line) => line.trim() || []);
  if (lines.length === 0) return { value: /* @__PURE__ */ new Map() };
  if (!types2) return { problems: [] };
  const addresses = types2.flatMap((type) => {
    const [address, ...others] = lines.flatMap((line) => families[type].parse(line) ?? []);
    return address !== void 0 && others.length === 0 ? [[type, address]] : [];
  });
  if (lines.length === types2.length && addresses.length === types2.length) return { value: new Map(addresses) };
  const wanted = types2.map(
    (type) => `one IPv${families[type].version} address, such as ${families[type].example}`
  );
  return refuse(`is ${quote(lines.join(" "))}. Enter ${wanted.join(", and on a line of its own ")}.`);
}
var defaultEchoUrls = {
  A: ["https://api4.ipify.org", "https://checkip.amazonaws.com", "https://ipv4.icanhazip.com"],
  AAAA: ["https://api6.ipify.org", "https://checkipv6.dedyn.io", "https://ipv6.icanhazip.com"]
};
var maxSources = 10;
function readSources(text, {
  targets = [],
  types: types2 = ["A"],
  expectedCidrs,
  givenAddresses,
  proxyOf
}) {
  if (givenAddresses?.size !== 0) {
    return text === "" ? { value: /* @__PURE__ */ new Map() } : refuse(`cannot be combined with ${setting("address")}. Remove one of them.`);
  }
  const managed = targets.map(({ hostname }) => hostname);
  const reading = list((line) => parseSource(line, managed), {
    separator: linesOrCommas,
    max: maxSources,
    keyOf: ({ name }) => name
  })(text);
  if ("problems" in reading) return reading;
  const sourcesFor = (type) => reading.value.length === 0 ? defaultEchoUrls[type].map((url) => echoSource(new URL(url))) : reading.value.filter((source) => isReachable2(source, type));
  const sources = new Map(types2.map((type) => [type, sourcesFor(type)]));
  const problems = types2.filter((type) => sources.get(type)?.length === 0).map(
    (type) => `lists no source for ${type} records: none of its URLs can be reached over IPv${families[type].version}.`
  );
  const proxied = [...sources].flatMap(([type, ofType]) => {
    const isGuarded = expectedCidrs?.some(({ family }) => family === families[type].version) ?? true;
    return ofType.flatMap(
      (source) => !isGuarded && source.kind === "echo" && proxyOf(source.url) !== null ? source.name : []
    );
  });
  if (proxied.length > 0) {
    problems.push(
      `would be asked through https_proxy, so echo services would return the address of the proxy. Add them to no_proxy (${[...new Set(proxied)].join(",")}), or set ${setting("expected-cidr")} to the ranges of your own address.`
    );
  }
  return problems.length > 0 ? { problems } : { value: sources };
}
function isReachable2(source, type) {
  if (source.kind !== "echo") return true;
  const { hostname } = new URL(source.url);
  if (hostname.startsWith("[")) return type === "AAAA";
  return type === "A" || !isIpv4(hostname);
}
function parseSource(line, managed) {
  const [, scheme, rest = ""] = /^(dns|interface):(.*)$/i.exec(line) ?? [];
  const name = rest.trim();
  if (scheme?.toLowerCase() === "dns") return parseDnsSource(name, managed);
  if (scheme) {
    return /^[^\s/]+(?: [^\s/]+)*$/.test(name) ? { value: { kind: "interface", name: `interface:${name}`, device: name } } : { problem: "names no interface. Write it like interface:eth0" };
  }
  const url = parseSafeUrl(line);
  return url && !hasCredentials(url) ? { value: echoSource(url) } : {
    problem: "is not an https URL without user name or password. Use https (http only on loopback), one URL per line"
  };
}
var tracePath = "/cdn-cgi/trace";
function echoSource({ host, href, pathname }) {
  const name = host.replace(/\.(?=:|$)/, "");
  return { kind: "echo", name, url: href, form: pathname === tracePath ? "trace" : "text" };
}
function parseDnsSource(text, managed) {
  const hostname = canonicalHostname(text);
  if (!hostname || hostname.startsWith("*"))
    return { problem: "names no host. Write it like dns:router.example.net" };
  const writing = managed.find((target) => answersFor(target, hostname));
  if (writing === void 0) return { value: { kind: "dns", name: `dns:${hostname}`, hostname, managed } };
  const how = writing === hostname ? "this run writes" : `the record ${writing} of this run may answer for`;
  return {
    problem: `asks for a name that ${how}, so it would confirm whatever is there. Name another host`
  };
}
function readSuffixes(text, { targets, types: types2 }) {
  const problems = [];
  if (text !== "" && types2?.includes("AAAA") === false)
    problems.push(`needs ${setting("record-type")} AAAA or A,AAAA.`);
  const reading = list((line) => parseNamedSuffix(line, targets), {
    separator: linesOrCommas,
    keyOf: ([name]) => name ?? "a host part for all names"
  })(text);
  if ("problems" in reading) return { problems: [...problems, ...reading.problems] };
  const parts = new Map(reading.value);
  const suffixes = /* @__PURE__ */ new Map();
  for (const { hostname } of parts.size > 0 ? targets ?? [] : []) {
    const suffix = parts.get(hostname) ?? parts.get(null);
    if (suffix) suffixes.set(hostname, suffix);
    else
      problems.push(
        `has no host part for ${hostname}. Add a line for it, or one without a name for all others.`
      );
  }
  return problems.length > 0 ? { problems } : { value: suffixes };
}
function parseNamedSuffix(line, targets) {
  const words = line.split(/\s+/);
  const suffix = parseSuffix(words.at(-1) ?? "");
  if ("problem" in suffix) return suffix;
  const [name = ""] = words;
  if (words.length === 1) return { value: [null, suffix.value] };
  const hostname = words.length === 2 ? canonicalHostname(name) ?? name : "";
  return !targets || targets.some((target) => target.hostname === hostname) ? { value: [hostname, suffix.value] } : { problem: "does not start with one of the hostnames" };
}

// lib/get-or-create.ts
function getOrCreate(map, key, create) {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

// action/concurrency.ts
function createLimit(limit) {
  let free = limit;
  const waiting = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise((resolve2) => waiting.push(resolve2));
    try {
      return await work();
    } finally {
      const next2 = waiting.shift();
      if (next2) next2();
      else free++;
    }
  };
}

// action/records/envelope.ts
var infoFields = ["page", "per_page", "count", "total_count", "total_pages"];
var continuation = /cursor|next|more|after/i;
function readPageInfo(resultInfo) {
  const info2 = resultInfo ?? {};
  if (!isObject(info2)) return { problem: "its result_info is not an object" };
  for (const [field, value] of Object.entries(info2)) {
    const read = infoFields.some((known) => known === field) ? Number.isSafeInteger(value) && Number(value) >= 0 : !continuation.test(field);
    const empty = value === null || value === "" || value === false;
    if (!read && !empty)
      return { problem: `its result_info contains ${quote(field)}: ${quote(JSON.stringify(value))}` };
  }
  const counts = Object.entries(info2).filter(([, value]) => typeof value === "number");
  return { value: Object.fromEntries(counts) };
}
function whyIncomplete(shown, resultInfo) {
  const info2 = readPageInfo(resultInfo);
  if ("problem" in info2) return info2.problem;
  const { page = 1, per_page: perPage, count: count2 = 0, total_count: total, total_pages: pages } = info2.value;
  const all = Math.max(count2, total ?? 0);
  if (all > shown) return `it shows ${shown} of ${all} entries`;
  if (page !== 1 || (pages ?? 1) > 1) return `it is page ${page} of ${pages ?? "an unknown number"}`;
  const full = perPage !== void 0 && shown >= perPage;
  return full && total === void 0 && pages === void 0 ? `its page is full with ${shown} entries` : null;
}
function parseRecord(value) {
  if (!isObject(value)) return null;
  const { id, type, name, content, ttl, proxied, comment, tags, settings, meta } = value;
  const privateRouting = value["private_routing"];
  if (!isId(id)) return null;
  if (typeof type !== "string" || typeof name !== "string") return null;
  const text = typeof content === "string" ? content : "";
  const isAddress = type === "A" || type === "AAAA";
  const address = isAddress ? families[type].parse(text) : text;
  if (isAddress && !(address && Number.isInteger(ttl) && typeof proxied === "boolean")) return null;
  return {
    id,
    type,
    name: canonicalHostname(name) ?? name.toLowerCase(),
    content: address ?? "",
    ttl: typeof ttl === "number" ? ttl : 1,
    proxied: proxied === true,
    comment: typeof comment === "string" && comment !== "" ? comment : null,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    settings: isObject(settings) ? settings : {},
    privateRouting: typeof privateRouting === "boolean" ? privateRouting : null,
    readOnly: isObject(meta) && meta["read_only"] === true,
    hiddenBy: isObject(meta) ? hidingIds(meta) : []
  };
}
var rateLimitCodes = /* @__PURE__ */ new Set([971, 10100, 10429]);
function isRateLimit(status, errors) {
  return status === 429 || errors.some((error2) => rateLimitCodes.has(error2.code));
}
function hidingIds(meta) {
  const ids = meta["shadowed_by"];
  const isGlue = meta["is_glue"] ?? false;
  const isDead = meta["dead_glue"] ?? false;
  if (!Array.isArray(ids) || typeof isGlue !== "boolean" || typeof isDead !== "boolean") return [];
  return isGlue && !isDead || !ids.every(isId) ? [] : ids;
}
function isId(value) {
  return typeof value === "string" && /^[0-9a-f]{32}$/.test(value);
}

// action/records/limits.ts
function createTokenCheck() {
  let works = false;
  let rejection = null;
  return {
    rejection: () => works ? null : rejection,
    accepted() {
      works = true;
    },
    rejected({ reason }) {
      rejection ??= { reason, message: `Not tried, because another name just failed with ${reason}.` };
    }
  };
}
function createGate() {
  let first = null;
  return async (work) => {
    if (first !== null) await first;
    const result = work();
    first ??= result.catch(() => {
    });
    return result;
  };
}
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
      if (outcome.kind === "failure") return outcome;
      if (outcome.status === 429) block(outcome.retryAfterMs ?? 0);
      for (const { remaining, resetMs } of outcome.rateLimits) if (remaining <= underWay) block(resetMs);
      return outcome;
    }
  };
}

// action/records/problems.ts
var credentialCodes = [6003, 6103, 6111, 9106, 9109, 1e4];
var routingCode = 7003;
var recordGoneCode = 81044;
var conflictCodes = [81053, 81054];
var duplicateCodes = [81057, 81058];
var freeDomainCode = 1038;
var elsewhere = /cannot use the access token from location/i;
function isTokenRejected(status, errors) {
  return status === 401 || errors.some(
    ({ code, message }) => malformedTokenCodes.includes(code) || /invalid access token|cannot use the access token/i.test(message)
  );
}
function failedTo({ what }, reason, happened, advice2 = "", setting2) {
  return {
    reason,
    message: `Failed to ${what}: ${happened}. ${advice2}`.trim(),
    ...setting2 && { setting: setting2 }
  };
}
function explainErrors(status, errors, attempt) {
  const has = (codes) => errors.some(({ code }) => codes.includes(code));
  const response = describeResponse(status, errors);
  const zone = attempt.zoneName ?? attempt.zoneId;
  const failed3 = (reason, advice2, setting2) => failedTo(attempt, reason, response, advice2, setting2);
  if (has([routingCode])) {
    return failed3("zone-not-found", `Cloudflare has no zone ${zone}.`, "zone-id");
  }
  if (has([freeDomainCode])) return failed3("write-rejected", "Nothing was written. Use another domain.");
  if (status === 401 || status === 403 || has(credentialCodes)) {
    if (errors.some(({ message }) => elsewhere.test(message))) {
      const advice3 = "The token has an IP address filter. It locks an updater out for good when the address changes: remove the filter.";
      return failed3("token-rejected", advice3);
    }
    const isAboutZone = !isTokenRejected(status, errors);
    if (isAboutZone && attempt.zoneName) {
      const advice3 = "The token may not find zones by their name, or it is wrong, expired or revoked.";
      return failed3("zone-not-found", advice3, "zone-id");
    }
    const zoneAdvice = isAboutZone ? "Check the zone ID first: Cloudflare responds the same way to a mistyped one. " : "";
    const front = errors.length === 0 ? "Either something in front of the API, such as a proxy, refused it, or: " : "";
    const advice2 = `${front}${zoneAdvice}The token is wrong, expired or revoked, or it does not cover ${attempt.zoneName ? "the zone" : `zone ${zone}`}. Paste it again. If that does not help, create one with ${tokenLink} (select this zone only there), and store it in place of the old one.`;
    return failed3("token-rejected", advice2, isAboutZone ? "zone-id" : void 0);
  }
  if (attempt.writes && (status === 404 || has([recordGoneCode]))) {
    const advice2 = "Something else deleted the record after it was read. Let only one program update the hostname.";
    return failed3("record-missing", advice2);
  }
  if (attempt.writes && has(conflictCodes)) {
    const advice2 = "Another record at this name prevents it. If you no longer need that record, delete it.";
    return failed3("record-conflict", advice2);
  }
  if (attempt.writes && has(duplicateCodes)) {
    const advice2 = "Something else wrote the same record in the meantime. Let only one program update the hostname.";
    return failed3("write-rejected", advice2);
  }
  if (status >= 500) return failed3("service-unavailable");
  return attempt.writes ? failed3("write-rejected", "Nothing was written. Check the setting that Cloudflare names.") : failed3("unexpected", "", "base-url");
}
function rateLimited(attempt, response) {
  const advice2 = "The limit counts all requests with the tokens, keys and dashboard of this account. Run less often, or find what else sends requests.";
  return failedTo(attempt, "rate-limited", response, advice2);
}
function describeResponse(status, errors) {
  const codes = errors.map((error2) => `code ${error2.code} ${quote(error2.message)}`);
  return [`Cloudflare returned ${status}`, ...codes].join(", ");
}
function explainRefusal(found, { hostname, type }) {
  switch (found.kind) {
    case "cname":
      return {
        reason: "record-conflict",
        message: `${hostname} is a CNAME, which cannot be combined with an ${type} record. Delete the CNAME, or do not update this name: a CNAME to a name that already follows the address needs no update.`
      };
    case "several":
      return {
        reason: "record-ambiguous",
        message: `${hostname} has ${nameRecords(found.records)}. Homeport does not choose between them. Delete all but one.`
      };
    case "none": {
      const only = found.types.length === 0 ? "" : ` ${type} record, only ${found.types.map(quote).join(", ")}`;
      return {
        reason: "record-missing",
        message: `${hostname} has no${only || " record"} in this zone. Check its spelling and the zone ID first. If both are right, create the ${type} record once (\`pulumi up\` or the dashboard).`,
        setting: "create"
      };
    }
    case "read-only":
      return {
        reason: "record-read-only",
        message: `The ${type} record of ${hostname} is managed by another product of Cloudflare, so it cannot be edited. Change it in that product.`
      };
  }
}
function explainOutside({ hostname, zoneId }, zoneSuffix) {
  return {
    reason: "record-missing",
    message: `${hostname} does not belong to zone ${zoneId}, whose records all end with ${quote(zoneSuffix)}. Cloudflare would create a name below that. Nothing was written. Check the spelling of the name.`,
    setting: "zone-id"
  };
}
function explainHidden({ name, type, content, hiddenBy }) {
  const [first, ...others] = hiddenBy;
  const ids = others.length > 0 ? `${first} and ${others.length} more` : first;
  return {
    reason: "not-served",
    message: `Cloudflare stores ${content} for ${name} (${type}), but nobody is served it: NS records at this name or above it (id ${ids}) delegate the name to other name servers. Delete these NS records, or update ${name} in the zone of those servers, or use a name that is not below the NS records.`
  };
}
function explainMisplaced({ hostname, zoneId }, created) {
  return {
    reason: "write-unconfirmed",
    message: `Cloudflare created ${quote(created.name)} (id ${created.id}) instead of ${hostname}, because ${hostname} does not belong to zone ${zoneId}. Delete the record ${created.id}. Then check the spelling of the name.`,
    setting: "zone-id"
  };
}
function nameRecords(records) {
  const named = records.map(({ id, content }) => `${id} (${quote(content)})`).join(", ");
  return `${records.length} ${records[0]?.type} records: ${named}`;
}
function nameDifferences(differences2) {
  return differences2.map(({ field, found, sent }) => `${field} ${quote(found)} instead of ${sent}`).join(", ");
}

// action/records/dns-api.ts
var maxConcurrentWrites = 4;
var maxReads = 3;
var maxWaits = 4;
var maxResponseBytes = 1024 * 1024;
var maxWaitsMs = [500, 1e3];
var maxWaitShares = [0.1, 0.2];
function openDnsApi({ baseUrl, token }, exchange3, deadline, clock) {
  const tokenCheck = createTokenCheck();
  const pace = createPace(clock);
  const gate = createGate();
  const limits = /* @__PURE__ */ new Map();
  const writesOf = (zoneId) => getOrCreate(limits, zoneId, () => createLimit(maxConcurrentWrites));
  return { baseUrl, token, exchange: exchange3, deadline, clock, tokenCheck, pace, gate, writesOf };
}
async function readPath(api, path, attempt, maxBytes2 = maxResponseBytes) {
  const { deadline, clock, tokenCheck } = api;
  let last2 = null;
  let broken2 = null;
  const readOnce = async (read) => {
    const rejection = tokenCheck.rejection();
    if (rejection) return { problem: rejection };
    const remainingMs = deadline.remainingMs();
    if (remainingMs <= 0) return { problem: broken2 ?? deadlinePassed(attempt, last2) };
    const response = await send3(api, attempt, { method: "GET", path, maxBytes: maxBytes2 }, remainingMs);
    if (response.kind === "limited" && !response.isSent) return { problem: response.problem };
    if (response.kind === "unknown" && response.cause === "too-large")
      return { problem: response.problem, isTooLarge: true };
    if (response.kind === "answered") return { value: response.envelope };
    if (response.kind === "refused") return { problem: response.problem };
    last2 = response.problem;
    if (response.kind === "limited" || response.cause === null) broken2 = null;
    else if (response.cause !== "timeout") broken2 = last2;
    const { retryAfterMs } = response;
    const maxWaitMs3 = Math.min(maxWaitsMs[read - 1] ?? 0, (maxWaitShares[read - 1] ?? 0) * deadline.callMs);
    const waitMs2 = retryAfterMs ?? clock.random() * maxWaitMs3;
    if (read === maxReads || waitMs2 >= deadline.remainingMs()) {
      const outOfTime = read < maxReads && retryAfterMs === null;
      return { problem: broken2 ?? (outOfTime ? deadlinePassed(attempt, last2) : last2) };
    }
    return { waitMs: waitMs2 };
  };
  for (let read = 1; ; read++) {
    const done = await api.gate(() => readOnce(read));
    if (!("waitMs" in done)) return done;
    await clock.sleep(done.waitMs);
  }
}
async function sendRecord(api, { zoneId, hostname }, recordId, body, timeoutMs) {
  const [method, does, path] = recordId ? ["PUT", "update", `/${recordId}`] : ["POST", "create", ""];
  const request = { method, path: `${recordsPath(zoneId)}${path}`, body: JSON.stringify(body) };
  const response = await send3(api, { what: `${does} ${hostname}`, zoneId, writes: true }, request, timeoutMs);
  if (response.kind !== "answered") return response;
  const record = parseRecord(response.envelope.result);
  return record ? { kind: "answered", record } : response.unreadable;
}
async function send3(api, attempt, { path, ...request }, timeoutMs) {
  const { exchange: exchange3, deadline, clock, pace, tokenCheck } = api;
  const endMs = clock.now() + timeoutMs;
  for (let waits = 0; waits < maxWaits; waits++) {
    const waitMs2 = pace.waitMs();
    if (waitMs2 > 0 && clock.now() + waitMs2 < endMs) await clock.sleep(waitMs2);
  }
  const retryAfterMs = pace.waitMs();
  if (retryAfterMs > 0) {
    const what = `the rate limit allows no more requests for ${Math.ceil(retryAfterMs / 1e3)} s`;
    return { kind: "limited", isSent: false, problem: rateLimited(attempt, what), what, retryAfterMs };
  }
  const outcome = await pace.track(
    exchange3({
      maxBytes: maxResponseBytes,
      ...request,
      url: `${api.baseUrl}${apiPath}/${path}`,
      headers: { Authorization: `Bearer ${api.token}`, "Content-Type": "application/json" },
      timeoutMs: Math.min(deadline.callMs, endMs - clock.now())
    })
  );
  const response = readResponse(outcome, attempt);
  if (response.kind === "answered") tokenCheck.accepted();
  else if (response.kind === "refused" && response.isTokenRejected) tokenCheck.rejected(response.problem);
  return response;
}
function readResponse(outcome, attempt) {
  if (outcome.kind === "failure") {
    const { cause } = outcome;
    const what2 = explainFailure(outcome);
    const problem2 = failedTo(attempt, "service-unavailable", what2);
    const reason = lastingFailures[cause];
    if (reason) return { kind: "refused", problem: { ...problem2, reason }, what: what2 };
    return { kind: "unknown", problem: problem2, what: what2, cause, retryAfterMs: null };
  }
  const { status, body, retryAfterMs } = outcome;
  const envelope = parseEnvelope(body);
  const errors = envelope?.errors ?? [];
  const unknown = (what2, problem2 = failedTo(attempt, "service-unavailable", what2)) => {
    return { kind: "unknown", problem: problem2, what: what2, cause: null, retryAfterMs };
  };
  const found = body === "" ? "an empty body" : "something other than its JSON envelope";
  const unreadable2 = unknown(`Cloudflare returned ${status} with ${found}`);
  if (status < 300 && errors.length === 0 && envelope?.success !== false) {
    return envelope ? { kind: "answered", envelope, unreadable: unreadable2 } : unreadable2;
  }
  const what = describeResponse(status, errors);
  if (isRateLimit(status, errors)) {
    return { kind: "limited", isSent: true, problem: rateLimited(attempt, what), what, retryAfterMs };
  }
  if (outcome.isFromFront) {
    const refusal = `Cloudflare returned ${status} with a web page`;
    const problem2 = failedTo(attempt, "service-unavailable", refusal, `${frontAdvice}.`);
    if (!attempt.writes) return { kind: "refused", problem: problem2, what: refusal };
    return { ...unknown(refusal, problem2), isFinal: true };
  }
  if (status < 300 && envelope?.success) return { kind: "answered", envelope, unreadable: unreadable2 };
  if (status >= 300 && status < 400) {
    if (attempt.writes) return unreadable2;
    const advice2 = "Homeport does not follow it, because that would send the token along. Look for a captive portal or a proxy.";
    const problem2 = failedTo(attempt, "unexpected", "Cloudflare returned a redirect", advice2, "base-url");
    return { kind: "refused", problem: problem2, what };
  }
  const problem = explainErrors(status, errors, attempt);
  if (status >= 500) return unknown(what, problem);
  if (status < 400 && attempt.writes) return unknown(`${what}, without success`);
  return { kind: "refused", problem, what, isTokenRejected: isTokenRejected(status, errors) };
}
function recordsPath(zoneId) {
  return `zones/${zoneId}/dns_records`;
}
var lastingFailures = {
  proxy: "proxy-rejected",
  untrusted: "tls-untrusted"
};
function deadlinePassed(attempt, last2) {
  const again = last2 ? ` again. ${last2.message}` : ".";
  return {
    reason: "deadline",
    message: `No time was left to ${attempt.what}${again}`,
    setting: "timeout"
  };
}

// action/records/list.ts
var maxConcurrentReads = 8;
var pageSize = 1e3;
var maxPageBytes = 8 * 1024 * 1024;
async function listZone(api, zoneId, hostnames) {
  const listed = await readZone(api, zoneId, hostnames);
  return "problem" in listed ? new Map(hostnames.map((hostname) => [hostname, listed])) : listed.value;
}
async function listRecords(api, { hostname, zoneId }) {
  const attempt = { what: `list the records of ${hostname}`, zoneId, writes: false };
  const path = `${recordsPath(zoneId)}?name=${encodeURIComponent(hostname)}${shadowQuery(api)}`;
  const read = await readPath(api, path, attempt);
  if ("problem" in read) return read;
  const page = readEntries(read.value, /* @__PURE__ */ new Set([hostname]));
  if ("problem" in page) return unreadable(attempt, page.problem);
  const why = whyIncomplete(page.value.names.length, read.value.resultInfo);
  if (why) return unreadable(attempt, incomplete(why));
  return { value: page.value.records };
}
async function readZoneSuffix(api, zoneId) {
  const attempt = listingZone(zoneId);
  const read = await readPath(api, recordsPath(zoneId), attempt);
  if ("problem" in read) return read;
  const page = readEntries(read.value, /* @__PURE__ */ new Set());
  if ("problem" in page) return unreadable(attempt, page.problem);
  const [first = "", ...others] = page.value.names;
  return { value: others.reduce(commonSuffix, first) };
}
function listingZone(zoneId) {
  return { what: `list the records of zone ${zoneId}`, zoneId, writes: false };
}
async function readZone(api, zoneId, hostnames) {
  const attempt = listingZone(zoneId);
  const readByName = async () => {
    const start = createLimit(maxConcurrentReads);
    const list2 = async (hostname) => [hostname, await start(() => listRecords(api, { hostname, zoneId }))];
    return { value: new Map(await Promise.all(hostnames.map(list2))) };
  };
  if (hostnames.length === 1) return readByName();
  const path = `${recordsPath(zoneId)}?per_page=${pageSize}${shadowQuery(api)}`;
  const read = await readPath(api, path, attempt, maxPageBytes);
  if ("problem" in read) return read.isTooLarge ? readByName() : read;
  const { result, resultInfo } = read.value;
  const info2 = readPageInfo(resultInfo);
  if ("problem" in info2) return unreadable(attempt, incomplete(info2.problem));
  if (Array.isArray(result) && whyIncomplete(result.length, resultInfo) !== null) return readByName();
  const page = readEntries(read.value, new Set(hostnames));
  if ("problem" in page) return unreadable(attempt, page.problem);
  const at = (hostname) => ({ value: page.value.records.filter(({ name }) => name === hostname) });
  return { value: new Map(hostnames.map((hostname) => [hostname, at(hostname)])) };
}
function readEntries({ result }, hostnames) {
  if (!Array.isArray(result)) return { problem: "the response contains no list of records" };
  const records = [];
  const names = [];
  for (const entry of result) {
    if (!isObject(entry) || typeof entry["name"] !== "string") return { problem: malformed };
    const name = canonicalHostname(entry["name"]) ?? entry["name"].toLowerCase();
    names.push(name);
    if (!hostnames.has(name)) continue;
    const record = parseRecord(entry);
    if (!record) return { problem: malformed };
    records.push(record);
  }
  return { value: { records, names } };
}
function commonSuffix(one, other) {
  const labels = one.split(".").toReversed();
  const otherLabels = other.split(".").toReversed();
  const differs = labels.findIndex((label2, depth) => label2 !== otherLabels[depth]);
  return (differs < 0 ? labels : labels.slice(0, differs)).toReversed().join(".");
}
function isOutside(hostname, zoneSuffix) {
  return zoneSuffix.includes(".") && !commonSuffix(hostname, zoneSuffix).includes(".");
}
var malformed = "a record in the response has missing or malformed fields";
function incomplete(why) {
  return `the list may be incomplete, and only a complete one can be trusted: ${why}`;
}
function unreadable(attempt, why) {
  return { problem: failedTo(attempt, "unexpected", why, "", "base-url") };
}
var sandboxToken = /^cf[ua]t_sandbox/;
function shadowQuery({ baseUrl, token }) {
  return baseUrl === cloudflareUrl || sandboxToken.test(token) ? "&include_shadow_metadata=true" : "";
}

// action/records/zone.ts
var unservedStatuses = ["pending", "moved", "deactivated"];
function createZoneFinder(api, known) {
  const lookUps = /* @__PURE__ */ new Map();
  return async (hostname) => {
    const found = known.get(hostname);
    if (found) return { value: found };
    const suffixes = suffixesOf(hostname);
    for (const suffix of suffixes) {
      const zone = await getOrCreate(lookUps, suffix, () => lookUpZone(api, suffix));
      if ("problem" in zone) return zone;
      if (!zone.value) continue;
      known.set(hostname, zone.value);
      return { value: zone.value };
    }
    return failed(
      `The token sees no zone for ${hostname}. Most likely it may not list zones. If it may, there is no zone with the name ${suffixes.join(" or ")}: check the spelling.`
    );
  };
}
function suffixesOf(hostname) {
  const labels = hostname.replace(/^\*\./, "").split(".");
  return labels.slice(0, -1).map((_, start) => labels.slice(start).join("."));
}
async function lookUpZone(api, zoneName) {
  const attempt = { what: `find zone ${zoneName}`, zoneId: null, zoneName, writes: false };
  const path = `zones?name=${encodeURIComponent(zoneName)}`;
  const read = await readPath(api, path, attempt);
  if ("problem" in read) return read;
  const { result, resultInfo } = read.value;
  if (!Array.isArray(result) || !result.every(isZone))
    return unreadable(attempt, "the response contains no list of zones");
  const why = whyIncomplete(result.length, resultInfo);
  if (why) return unreadable(attempt, why);
  const found = result.filter(({ name }) => canonicalHostname(name) === zoneName);
  const [zone, ...others] = found;
  if (others.length === 0) return { value: zone ? namedZone(zone, zoneName) : null };
  const ids = found.map(({ id }) => id).join(", ");
  return failed(`The token sees ${found.length} zones with the name ${zoneName} (${ids}).`);
}
function namedZone({ id, status }, name) {
  if (!unservedStatuses.includes(status)) return { id, name };
  const warning2 = `Cloudflare says that the zone ${name} is ${status}, so its records may be served to nobody. At the registrar of the domain, check that it has the name servers that Cloudflare shows on the overview page of the zone.`;
  return { id, name, warning: warning2 };
}
function failed(message) {
  return { problem: { reason: "zone-not-found", message, setting: "zone-id" } };
}
function isZone(value) {
  return isObject(value) && typeof value["name"] === "string" && isId(value["id"]);
}

// action/verify.ts
var dnsPort = 53;
var maxQueryMs = 4e3;
var minQueryMs = 100;
var maxConcurrentQueries = 16;
var minPasses = 2;
var minWaitMs = 1e3;
var maxWaitMs = 5e3;
async function verifyServed(records, given2, context) {
  const find2 = given2.length > 0 ? async () => ({ value: given2 }) : createServerFinder(context);
  const check = async (record) => {
    const servers = await find2(record.hostname);
    if ("problem" in servers) return servers;
    const last2 = { served: { silence: "was not asked in time" } };
    return { value: servers.value.map((server) => ({ record, server, last: last2 })) };
  };
  const checks = await Promise.all(records.map(check));
  await waitUntilServed(
    checks.flatMap((ofRecord) => "value" in ofRecord ? ofRecord.value : []),
    context
  );
  return checks.map((ofRecord) => {
    if ("problem" in ofRecord) return { problem: notServed(ofRecord.problem) };
    const late = ofRecord.value.filter(isLate);
    const [first] = ofRecord.value;
    if (first && late.length > 0) return { problem: explainLag(first.record, late) };
    const names = (isUnclear) => ofRecord.value.flatMap(({ last: last2, server }) => Boolean(last2.isUnclear) === isUnclear ? server.name : []);
    const [clear, unclear] = [names(false), names(true)];
    const notes = unclear.length > 0 ? [describeUnclear(unclear)] : [];
    if (first && clear.length === 0)
      return { problem: notServed(`Cloudflare confirmed ${first.record.hostname}. ${notes}`) };
    return { value: { servedBy: clear, notes } };
  });
}
async function waitUntilServed(checks, context) {
  const { clock, deadline } = context;
  const hosts = [...new Set(checks.map(({ server }) => server.host))];
  const find2 = async (host) => [host, await context.dns.addressesOf(host, deadline.remainingMs())];
  const addresses = new Map(await Promise.all(hosts.map(find2)));
  const resolvers2 = /* @__PURE__ */ new Map();
  const start = createLimit(maxConcurrentQueries);
  let lagging = checks;
  for (let pass = 1, waitMs2 = minWaitMs; ; pass++, waitMs2 = Math.min(2 * waitMs2, maxWaitMs)) {
    const silent = /* @__PURE__ */ new Map();
    const repeat = async (check) => {
      const { record, server } = check;
      if (deadline.remainingMs() < minQueryMs) return;
      const found = addresses.get(server.host) ?? { value: [] };
      check.last = silent.get(server.name) ?? await ask(record, found, server.port, resolvers2, context);
      if ("silence" in check.last.served) silent.set(server.name, check.last);
    };
    await Promise.all(lagging.map((check) => start(() => repeat(check))));
    lagging = lagging.filter((check) => isLate(check) || check.last.isUnclear);
    for (const [key, asked] of resolvers2) if (await asked === null) resolvers2.delete(key);
    const isSettled = !lagging.some(isLate) && (lagging.length === 0 || pass >= minPasses);
    const sleepMs = waitMs2 * (0.5 + clock.random() / 2);
    if (isSettled || sleepMs >= deadline.remainingMs()) return;
    const asleepMs = clock.now();
    await clock.sleep(sleepMs);
    if (clock.now() - asleepMs < sleepMs / 2) return;
  }
}
async function ask({ hostname, type }, addresses, port, resolvers2, { dns, deadline }) {
  const why = "problem" in addresses ? addresses.problem : "it has no address";
  let served = { silence: `did not respond (${why})` };
  for (const address of "value" in addresses ? addresses.value : []) {
    const timeoutMs = Math.min(maxQueryMs, deadline.remainingMs());
    if (timeoutMs <= 0) break;
    const server = { address, port };
    const checking = getOrCreate(resolvers2, `${address} ${port}`, () => dns.isResolver(server, timeoutMs));
    served = await dns.ask(server, hostname, type, timeoutMs);
    if ("silence" in served) continue;
    const isResolver = await checking;
    if (!isResolver) return { served, isUnclear: isResolver === null };
    const problem = "answers for com, too, so a resolver responded in its place (is port 53 redirected?)";
    return { served: { problem } };
  }
  return { served };
}
function isLate({ last: last2, record }) {
  return explainServed(last2.served, record) !== null;
}
function explainServed(served, record) {
  if ("silence" in served) return served.silence;
  if ("problem" in served) return served.problem;
  const addresses = served.value.map((text) => families[record.type].parse(text) ?? text);
  if (addresses.length === 0) return `serves no ${record.type} record`;
  const found = `serves ${addresses.join(", ")}`;
  if (record.proxied) {
    const unproxied = addresses.some((text) => text === record.address || text === record.previousAddress);
    return unproxied ? `${found} instead of addresses of the proxy` : null;
  }
  return addresses.length === 1 && addresses[0] === record.address ? null : found;
}
function createServerFinder({ dns, deadline }) {
  const lookUps = /* @__PURE__ */ new Map();
  return async (hostname) => {
    const failed3 = (why) => ({
      problem: `Failed to find the name servers of ${hostname}: ${why}. Set ${setting("name-servers")}.`
    });
    for (const apex of suffixesOf(hostname)) {
      const names = await getOrCreate(lookUps, apex, () => dns.nameServersOf(apex, deadline.remainingMs()));
      if ("problem" in names) return failed3(names.problem);
      if (names.value.length === 0) continue;
      const hosts = names.value.map((name) => canonicalHostname(name));
      if (hosts.includes(null)) return failed3(`${apex} has ${names.value.map(quote).join(", ")}`);
      const servers = hosts.flatMap((host) => host ? [{ name: host, host, port: dnsPort }] : []);
      return { value: servers.toSorted((one, other) => one.name < other.name ? -1 : 1) };
    }
    return failed3("no zone above it has any");
  };
}
function explainLag({ hostname, type, address }, late) {
  const named = late.map(({ server, last: last2, record }) => `${server.name} ${explainServed(last2.served, record)}`).join("; ");
  return notServed(
    `Cloudflare confirmed ${hostname} (${type}) with ${address}, but not every name server serves it: ${named}. If this lasts, check that the domain is delegated to the name servers of its zone.`,
    "timeout"
  );
}
function describeUnclear(names) {
  return `The record is served by ${names.join(", ")}, but without a response for com: it may be a slow resolver.`;
}
function notServed(message, setting2) {
  return { reason: "not-served", message, ...setting2 && { setting: setting2 } };
}

// action/inputs/records.ts
var zonePage = "the overview page of the zone";
var readZoneId = hexId(zonePage);
function readTargets(text, { zoneId = null }) {
  const reading = list((line) => parseTarget(line, zoneId), {
    separator: linesOrCommas,
    max: maxHostnames,
    advice: "Make the others CNAMEs to one of them, which need no update, or keep them in a second step.",
    keyOf: ({ hostname }) => hostname
  })(text);
  return "value" in reading && reading.value.length === 0 ? refuse("is missing. Enter a fully qualified name, such as home.example.com, one per line.") : reading;
}
function parseTarget(line, commonZoneId) {
  const [name = "", ownZone, ...rest] = line.split(/\s+/);
  const hostname = canonicalHostname(name);
  const zone = ownZone === void 0 ? { value: commonZoneId } : readZoneId(ownZone);
  const long = name.split(".").find((label2) => label2.length > maxLabelCharacters);
  if (rest.length > 0)
    return { problem: "has more than a name and a zone ID. Put each name on a line of its own" };
  if (canonicalHostname(ownZone ?? "") !== null)
    return { problem: "has two names. Put each on a line of its own" };
  if (long !== void 0)
    return { problem: `has a label of ${long.length} characters. The limit is ${maxLabelCharacters}` };
  if (hostname === null)
    return {
      problem: "does not start with a fully qualified name. Write it like home.example.com, without https://, port or path"
    };
  return "value" in zone ? { value: { hostname, zoneId: zone.value } } : { problem: `does not end with a zone ID. Use the 32 hex digits from ${zonePage}` };
}
function readTtl(text) {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return value === 1 || value >= 30 && value <= 86400 ? { value } : refuse(`is ${quote(text)}. Use 60 to 86400 seconds (from 30 on Enterprise plans), or 1 for automatic.`);
}
var maxServers = 20;
function readServers(text, { verify = "dns" }) {
  return text !== "" && verify !== "dns" ? refuse(`is only used with ${setting("verify", "dns")}. Set that too, or remove it.`) : list(parseServer, { max: maxServers, keyOf: ({ name }) => name })(text);
}
function parseServer(text) {
  if (isIpv6(text)) return { value: { name: text, host: text, port: dnsPort } };
  const [, inBrackets, plain = "", digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const ipv6 = inBrackets !== void 0 && isIpv6(inBrackets) ? inBrackets : null;
  const host = ipv6 ?? (isIpv4(plain) ? plain : canonicalHostname(plain));
  const port = digits === void 0 ? dnsPort : parsePort(digits);
  if (!host || !port) {
    return {
      problem: "is not a name server. Write host or host:port, such as ns1.example.net or [2001:db8::1]:53"
    };
  }
  const shown = ipv6 ? `[${host}]` : host;
  return { value: { name: port === dnsPort ? host : `${shown}:${port}`, host, port } };
}

// action/inputs/table.ts
function oneOf(...choices) {
  return { read: choice(...choices), value: choices.join("|") };
}
var off = { read: boolean, default: "false", value: "" };
var timeoutLimits = { minMs: 1e3, maxMs: 15 * 60 * 1e3, range: "1s to 15m, such as 60s" };
var table = {
  "api-token": {
    field: "token",
    read: readGivenToken,
    required: true,
    secret: true
  },
  "zone-id": { read: optional(readZoneId), help: "if the token may not list zones" },
  hostname: {
    field: "targets",
    read: readTargets,
    required: true,
    value: "NAME[ ZONE-ID]",
    help: "such as home.example.com"
  },
  "record-type": {
    field: "types",
    read: readTypes,
    default: "A",
    value: "A|AAAA|A,AAAA",
    help: "which records to keep"
  },
  "expected-cidr": {
    field: "expectedCidrs",
    read: readExpectedCidrs,
    value: "RANGE",
    help: "refuse addresses outside these ranges"
  },
  "allow-reserved-address": { ...off, field: "allowReserved", help: "allow private addresses" },
  address: { field: "givenAddresses", read: readGiven, help: "the address, if you know it" },
  "address-sources": {
    field: "sources",
    read: readSources,
    value: "SOURCE",
    help: "echo URL, dns:NAME or interface:NAME"
  },
  "ipv6-suffix": {
    field: "suffixes",
    read: readSuffixes,
    value: "[NAME ]SUFFIX",
    help: "host part, as in ::1/64"
  },
  ttl: { read: readTtl, default: "120", help: "60 to 86400, or 1 for automatic" },
  proxied: { read: optional(boolean), value: "", help: "by Cloudflare; without it, as it is" },
  "on-drift": { ...oneOf("warn", "repair"), default: "warn", help: "if only ttl or --proxied differs" },
  create: { ...off, help: "create a missing record" },
  "dry-run": { ...off, help: "write nothing" },
  verify: { ...oneOf("response", "dns"), default: "response", help: "dns also asks the name servers" },
  "name-servers": { field: "servers", read: readServers, value: "HOST[:PORT]", help: "for --verify dns" },
  "base-url": { read: readBaseUrl, default: cloudflareUrl, value: "URL", help: "root of the DNS API" },
  timeout: {
    field: "timeoutMs",
    read: (text) => readDuration(text, timeoutLimits),
    default: "60s",
    value: "DURATION",
    help: "limit of one check"
  },
  "heartbeat-url": { read: optional(secretUrl), secret: true },
  "notify-url": { read: optional(secretUrl), secret: true },
  "notify-format": {
    ...oneOf(...notifyFormats),
    default: "text",
    help: "of messages to HOMEPORT_NOTIFY_URL"
  },
  "mask-address": { ...oneOf("auto", "true", "false"), default: "auto", help: "redact addresses in the log" }
};
var inputs = table;
var inputNames = Object.keys(table);
var secretInputs = inputNames.filter((name) => inputs[name].secret);

// action/inputs/given.ts
function isAction(env2) {
  return env2["GITHUB_ACTIONS"] === "true";
}
function actionInputs(env2) {
  const variableOf2 = (name) => `INPUT_${name.toUpperCase()}`;
  const known = new Set(inputNames.map(variableOf2));
  const unknown = Object.keys(env2).filter((variable) => variable.startsWith("INPUT_") && !known.has(variable));
  return {
    texts: Object.fromEntries(inputNames.map((name) => [name, env2[variableOf2(name)]])),
    tokenFile: null,
    warnings: [],
    nameOf: (name) => name,
    tokenHint: `Pass the secret that holds the token. Runs for forks and Dependabot get no secrets, and the job needs "environment:" to get the secret of an environment. To create one, open ${tokenLink} and select this zone only.`,
    problems: unknown.map(
      (variable) => unknownName(
        variable.slice("INPUT_".length).toLowerCase(),
        "an input of this action",
        inputNames,
        "docs/inputs.md"
      )
    )
  };
}
function unknownName(name, what, known, where) {
  const nearest = misspelled(name, known);
  const advice2 = nearest === null ? `Remove it, or see ${where} for the names.` : `Did you mean ${nearest}?`;
  return `${quote(name)} is not ${what}. ${advice2}`;
}
function givenSecrets({ texts }) {
  const [token = "", ...urls] = secretInputs.map((name) => texts[name]?.trim() ?? "").map((text) => text.length > maxSecretBytes ? "" : secretParts(text));
  const words = texts["hostname"]?.split(/\s+/) ?? [];
  const names = words.flatMap((word) => canonicalHostname(word) ?? []);
  return {
    token,
    urls: urls.join("\n"),
    shown: ["homeport", ...secretInputs, ...names]
  };
}
var minPartCharacters = 8;
function secretParts(text) {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url) return text;
  const { pathname, search, searchParams } = url;
  const written = [/[^/]+(?=\/*$)/.exec(pathname)?.[0] ?? "", ...search.split(/[?&](?:[^&=]*=)?/)];
  const parts = [...written, ...searchParams.values()].filter((part) => part.length >= minPartCharacters);
  return [pathname === "/" && search === "" ? "" : pathname + search, ...new Set(parts)].join("\n");
}

// action/inputs/command.ts
var variablePrefix = "HOMEPORT_";
var valueFlags = ["api-token-file", "watch"];
var switches = ["json", "quiet", "help", "version"];
var inputFlags = inputNames.filter((name) => !inputs[name].secret);
var allFlags = [...inputFlags, ...valueFlags, ...switches];
var tokenHint = `Use --api-token-file FILE, the environment variable HOMEPORT_API_TOKEN, or a systemd credential named api-token. To create one, open ${tokenLink} and select this zone only.`;
function commandInputs(args, env2) {
  const problems = [];
  const flags = readFlags(args, problems);
  const isRefused = args.some((argument) => /^--api-token(=|$)/.test(argument));
  const tokenFile = flags.get("api-token-file");
  const tokenFromFile = tokenFile === void 0 ? void 0 : readSecret("api-token-file", tokenFile, problems);
  const warnings = tokenFile !== void 0 && isExposed(tokenFile, env2) ? [
    `api-token-file: ${quote(tokenFile)} can be read by every user of this host. Run chmod 600 on it, and replace the token if somebody may have seen it.`
  ] : [];
  checkVariables(env2, flags, problems);
  const isSet = (name) => Boolean(env2[variableName(name)]?.trim());
  const hasFlags = inputFlags.some((name) => flags.has(name)) || !inputFlags.some(isSet);
  const isFlag = (name) => flags.has(name) || hasFlags && !isSet(name);
  const folder = env2["CREDENTIALS_DIRECTORY"] ?? "";
  const credentials = readCredentials(folder, problems);
  const textOf = (name) => (name === "api-token" ? tokenFromFile : flags.get(name)) ?? (isSet(name) ? env2[variableName(name)] : credentials.get(name));
  const given2 = {
    texts: {
      ...Object.fromEntries(inputNames.map((name) => [name, textOf(name)])),
      "--watch": flags.get("watch")
    },
    problems,
    warnings,
    nameOf: (text) => {
      const name = inputFlags.find((input) => input === text);
      return name === void 0 ? text : isFlag(name) ? `--${name}` : variableName(name);
    },
    tokenHint: isRefused || tokenFromFile === null || credentials.get("api-token") === null ? null : tokenHint,
    tokenFile: tokenFile ?? (isSet("api-token") || !credentials.has("api-token") ? null : (0, import_node_path2.join)(folder, "api-token"))
  };
  return {
    given: given2,
    help: flags.has("help"),
    version: flags.has("version"),
    json: flags.has("json"),
    quiet: flags.has("quiet")
  };
}
function readFlags(args, problems) {
  const options = Object.fromEntries(
    allFlags.map((name) => [name, { type: isSwitch(name) ? "boolean" : "string" }])
  );
  const { tokens } = (0, import_node_util.parseArgs)({ args: [...args], options, strict: false, tokens: true });
  const flags = /* @__PURE__ */ new Map();
  let refusedAt = Number.NaN;
  for (const token of tokens) {
    const { index } = token;
    const argument = args[index] ?? "";
    if (index === refusedAt || index === refusedAt + 1 && !argument.startsWith("--")) continue;
    const problem = problemOf(token, argument);
    if (problem !== null) {
      problems.push(problem);
      if (token.kind === "option") refusedAt = index;
    } else if (token.kind === "option") {
      const { name, value = "true" } = token;
      flags.set(name, flags.has(name) ? `${flags.get(name)}
${value}` : value);
    }
  }
  return flags;
}
function problemOf(token, argument) {
  if (token.kind !== "option" || !token.rawName.startsWith("--")) {
    return `${quote(argument)} is not a flag. Flags start with --, as in --hostname home.example.com.`;
  }
  const { name, value } = token;
  if (inputs[name]?.secret) {
    return `--${name} is not a flag, because every user of the host can see a command line. ` + (name === "api-token" ? tokenHint : `Set ${variableName(name)}.`);
  }
  if (!allFlags.includes(name)) {
    const known = allFlags.map((flag) => `--${flag}`);
    return unknownName(`--${name}`, "a flag", known, "--help");
  }
  if (value !== void 0 && switches.includes(name)) {
    return `--${name} takes no value. Remove =${quote(value)}.`;
  }
  const isMissing = value === void 0 ? !isSwitch(name) : value === "" && name === "watch";
  return isMissing ? `--${name} has no value. Write --${name} VALUE.` : null;
}
function variableName(name) {
  return variablePrefix + variableOf(name);
}
function isSwitch(name) {
  return switches.includes(name) || inputs[name]?.value === "";
}
function checkVariables(env2, flags, problems) {
  for (const flag of valueFlags) {
    if (env2[variableName(flag)]?.trim() && !flags.has(flag))
      problems.push(`${variableName(flag)} is not a variable of Homeport. Use the flag --${flag}.`);
  }
  const known = inputNames.map(variableName);
  for (const variable of Object.keys(env2)) {
    if (!variable.startsWith(variablePrefix) || known.includes(variable)) continue;
    const name = misspelled(variable.slice(variablePrefix.length), inputNames);
    if (name === null || env2[variableName(name)]?.trim() || flags.has(name)) continue;
    const meant = variableName(name);
    problems.push(
      `${quote(variable)} is not a variable of Homeport, and ${meant} is not set. Use ${meant}, or remove the other.`
    );
  }
}
function readCredentials(folder, problems) {
  const found = /* @__PURE__ */ new Map();
  if (!folder) return found;
  for (const name of secretInputs) {
    const file = (0, import_node_path2.join)(folder, name);
    if ((0, import_node_fs4.existsSync)(file)) found.set(name, readSecret("CREDENTIALS_DIRECTORY", file, problems));
  }
  return found;
}
function readSecret(what, file, problems) {
  const reading = readSecretFile(file, maxSecretBytes);
  if ("value" in reading) return reading.value;
  problems.push(`${what}: ${quote(file)} ${reading.problem}`);
  return null;
}
var helpColumn = 36;
function helpText() {
  const flags = inputFlags.map((name) => {
    const { default: text = "", value = "VALUE", help = "" } = inputs[name];
    const shown = text === "" || value === "" ? help : `${help} (default: ${text})`;
    return `  ${`--${name} ${value}`.padEnd(helpColumn)}${shown}`;
  });
  return `homeport ${version}: keeps DNS records pointed at the public address of this host.

Usage: homeport --api-token-file FILE --hostname NAME [--zone-id ID] [flags]

  --api-token-file FILE               file that holds the API token
  --watch DURATION                    check every DURATION, from 1s to 24h, until stopped
  --json                              print one JSON object per check on stdout, and the log on stderr
  --quiet                             print changes and failures only
  --help, --version

${flags.join("\n")}

In a list, use commas, or repeat the flag. Each is also a variable, such as HOMEPORT_ZONE_ID, which a flag overrides.
The token comes from --api-token-file, HOMEPORT_API_TOKEN or $CREDENTIALS_DIRECTORY/api-token. The exit status is 0
if every record is correct. More: https://github.com/OWNER/homeport/blob/main/docs/inputs.md
`;
}

// action/inputs/inputs.ts
var import_node_fs5 = require("node:fs");
var intervalLimits = { minMs: 1e3, maxMs: 24 * 60 * 60 * 1e3, range: "1s to 24h, such as 5m" };
var rows = {
  ...table,
  "--watch": {
    field: "intervalMs",
    read: optional((text) => readDuration(text, intervalLimits))
  }
};
function readInputs(given2, env2, proxyOf = (url) => getProxyUrl(new URL(url))?.href ?? null) {
  nameSettings(given2.nameOf);
  const context = { tokenHint: given2.tokenHint, proxyOf };
  const read = readRows(rows, given2.texts, { context, nameOf: setting });
  const values = read.values;
  const problems = [...given2.problems.map(redactTokenShapes), ...read.problems, ...proxyProblems(env2)];
  const isHosted = env2["RUNNER_ENVIRONMENT"] === "github-hosted";
  const sources = [...values.sources?.values() ?? []].flat();
  const isOfGitHub = isHosted && sources.some(({ kind }) => kind !== "dns");
  const all = isOfGitHub ? [...problems, hostedProblem] : problems;
  const reason = problems.length > 0 ? "invalid-input" : "hosted-runner";
  return all.length > 0 ? { problem: { reason, message: all.join("\n") } } : { value: inputsOf(values, env2) };
}
function inputsOf(values, env2) {
  const { expectedCidrs, allowReserved, ttl, proxied, onDrift, create } = values;
  const { dryRun, heartbeatUrl, notifyUrl, notifyFormat, maskAddress } = values;
  const addressOf = (type) => {
    const address = values.givenAddresses.get(type);
    return {
      type,
      source: address === void 0 ? { kind: "asked", sources: values.sources.get(type) ?? [] } : { kind: "given", address },
      suffixes: type === "AAAA" ? values.suffixes : /* @__PURE__ */ new Map()
    };
  };
  return {
    ...values,
    addresses: values.types.map(addressOf),
    addressRules: { expectedCidrs, allowReserved },
    record: { ttl, proxied, onDrift, create },
    heartbeatUrl: dryRun ? null : heartbeatUrl,
    notify: notifyUrl === null ? null : { url: notifyUrl, format: notifyFormat },
    maskAddress: maskAddress === "auto" ? isAction(env2) && !isPrivateRepository(env2["GITHUB_EVENT_PATH"]) : maskAddress === "true"
  };
}
var hostedProblem = "This job runs on a GitHub-hosted runner, so echo services and interfaces would put an address of GitHub into your DNS. Use a self-hosted runner on the network whose address you want published, pass the address in the input address, or use a dns: source.";
function isPrivateRepository(eventPath) {
  if (!eventPath) return false;
  try {
    const repository = parseObject((0, import_node_fs5.readFileSync)(eventPath, "utf8"))?.["repository"];
    return isObject(repository) && repository["private"] === true;
  } catch {
    return false;
  }
}

// action/inputs/token-file.ts
function readTokenFile(file) {
  const text = readSecretFile(file, maxSecretBytes);
  if ("problem" in text) return { problem: `The token file ${quote(file)} ${text.problem}` };
  const token = readToken(text.value);
  return "value" in token ? token : { problem: `${setting("api-token")} ${token.problems[0]}` };
}

// action/name-servers.ts
var import_node_net2 = require("node:net");
var resolverTimeoutMs = 3e3;
var firstTryShare = 1 / 3;
var rcodes = {
  EFORMERR: "FORMERR",
  ESERVFAIL: "SERVFAIL",
  ENOTFOUND: "NXDOMAIN",
  ENOTIMP: "NOTIMP",
  EREFUSED: "REFUSED"
};
function createDnsClient(open = openResolver) {
  const openSystem = () => open({ timeout: resolverTimeoutMs, tries: 2 });
  return {
    async ask(server, name, type, timeoutMs) {
      const found = await askServer(
        server,
        timeoutMs,
        (resolver) => type === "A" ? resolver.resolve4(name) : resolver.resolve6(name)
      );
      if ("value" in found || found.code === "ENODATA") return { value: "value" in found ? found.value : [] };
      const rcode = rcodes[found.code];
      if (rcode !== void 0) return { problem: `returned ${rcode}` };
      return { silence: `did not respond (${explain(found.code)})` };
    },
    async isResolver(server, timeoutMs) {
      const found = await askServer(server, timeoutMs, (resolver) => resolver.resolveNs("com"), 1);
      if ("value" in found) return found.value.length > 0;
      return found.code === "ENODATA" || found.code in rcodes ? false : null;
    },
    async addressesOf(host, timeoutMs) {
      if ((0, import_node_net2.isIP)(host)) return { value: [host] };
      const resolver = openSystem();
      const found = await Promise.all([
        lookUp(resolver, timeoutMs, () => resolver.resolve4(host)),
        lookUp(resolver, timeoutMs, () => resolver.resolve6(host))
      ]);
      const addresses = found.flatMap((list2) => "value" in list2 ? list2.value : []);
      if (addresses.length > 0) return { value: addresses };
      return found.find((list2) => "problem" in list2) ?? { problem: "it has no address" };
    },
    nameServersOf: (zone, timeoutMs) => lookUp(openSystem(), timeoutMs, (resolver) => resolver.resolveNs(zone))
  };
}
function openResolver(options) {
  const { Resolver } = process.getBuiltinModule("node:dns/promises");
  return new Resolver(options);
}
async function askServer({ address, port }, timeoutMs, query2, tries = 2) {
  const timeout = Math.max(1, Math.floor(tries === 1 ? timeoutMs : timeoutMs * firstTryShare));
  const resolver = openResolver({ timeout, tries });
  resolver.setServers([(0, import_node_net2.isIPv6)(address) ? `[${address}]:${port}` : `${address}:${port}`]);
  return find(resolver, timeoutMs, query2);
}
async function lookUp(...lookup2) {
  const found = await find(...lookup2);
  if ("value" in found) return found;
  return ["ENOTFOUND", "ENODATA"].includes(found.code) ? { value: [] } : { problem: explain(found.code) };
}
async function find(resolver, timeoutMs, query2) {
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    return { value: await query2(resolver) };
  } catch (error2) {
    return { code: nameOf(error2) };
  } finally {
    clearTimeout(timer);
  }
}
function explain(code) {
  return ["ETIMEOUT", "ECANCELLED"].includes(code) ? "no response" : code;
}

// action/address/quorum.ts
function majority(sources) {
  return Math.floor(sources / 2) + 1;
}
function countVotes(votes) {
  const quorum = majority(votes.length);
  const tally = [...tallyOf(votes)];
  const [winner] = tally.find(([, count2]) => count2 >= quorum) ?? [];
  if (winner !== void 0) return { value: winner };
  const failed3 = votes.filter((vote) => "problem" in vote);
  if (tally.length > 1 || failed3.flatMap(({ candidates = [] }) => candidates).length > 1) {
    const message2 = `The address sources disagree (${nameVotes(votes)}). The quorum is ${quorum}. No record was changed. If this persists, look for a VPN, a second uplink or a faulty source.`;
    return { problem: { reason: "address-disagreement", message: message2 } };
  }
  const fix = failed3.find((vote) => vote.fix !== void 0)?.fix;
  const message = `Only ${votes.length - failed3.length} of ${votes.length} address sources returned an address, but the quorum is ${quorum} (${nameVotes(votes)}). No record was changed. ${fix ?? `Check the connection of the host, or set other ${setting("address-sources")}`}.`;
  return { problem: { reason: fix === void 0 ? "address-unavailable" : "tls-untrusted", message } };
}
function tallyOf(votes) {
  const values = votes.flatMap((vote) => "value" in vote ? vote.value : []);
  return new Map([...new Set(values)].map((value) => [value, values.filter((other) => other === value).length]));
}
function isDecided(votes, missing2) {
  const quorum = majority(votes.length + missing2);
  const most = Math.max(0, ...tallyOf(votes).values());
  return most >= quorum || most + missing2 < quorum;
}
function nameVotes(votes) {
  return votes.map((vote) => `${vote.source}: ${describeVote(vote)}`).join("; ");
}
function describeVote(vote) {
  if ("problem" in vote) return `no vote: ${vote.problem}`;
  return vote.note === void 0 ? vote.value : `${vote.value} (${vote.note})`;
}

// action/report/sentences.ts
var advice = {
  address: "You can also pass the address as @.",
  "allow-reserved-address": "If the record is for an internal network, set @true.",
  "base-url": "Check @.",
  create: "Or let Homeport create it: set @true.",
  "expected-cidr": "If your provider did, add the range to @.",
  timeout: "If this happens again, raise @.",
  "zone-id": 'Set @ to the 32 hex digits shown as "Zone ID" on the overview page of the zone.'
};
var next = {
  "service-unavailable": "The next run tries again.",
  "write-unconfirmed": "The next run checks again."
};
function wordProblem({ message, setting: about, reason }) {
  const what = about && advice[about].replace(/@(true)?/, (_, value) => setting(about, value));
  return [message, what, next[reason]].filter(Boolean).join(" ");
}
function describeRecord(record) {
  const { hostname, type, previousAddress, address, problem } = record;
  const before = previousAddress ?? "no record";
  const sentences = {
    unchanged: `${address}, already correct, nothing written`,
    updated: `${before} -> ${address}, updated`,
    created: `${before} -> ${address}, created`,
    "would-update": `${before}, would be updated to ${address} (dry run, nothing written)`,
    "would-create": `${before}, would be created with ${address} (dry run, nothing written)`,
    failed: `failed (${problem?.reason})${address ? `, wanted ${address}` : ""}`
  };
  return `${hostname} ${type}: ${sentences[record.result]}`;
}
function isNews({ result }) {
  return result !== "unchanged";
}
function describeCalm(round) {
  const [first = "", ...others] = round.records.map(describeRecord);
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return [`${first}${more}.`, ...describeRound(round)].join(" ");
}
function describeRound({ records, requests, elapsedMs }) {
  const servers = [...new Set(records.flatMap(({ servedBy }) => servedBy ?? []))].toSorted();
  const failed3 = records.filter(({ result }) => result === "failed");
  const correct = records.filter(({ result }) => result !== "failed" && !result.startsWith("would-"));
  const names = failed3.map(({ hostname, type }) => `${hostname} (${type})`).join(", ");
  return [
    ...servers.length > 0 ? [`Served by ${servers.join(", ")}.`] : [],
    ...failed3.length > 0 && correct.length > 0 ? [`${correct.length} of ${records.length} records are correct. Not correct: ${names}.`] : [],
    ...records.length > 0 ? [`${count(requests, "request")} in ${(elapsedMs / 1e3).toFixed(2)} s.`] : []
  ];
}
function describeWatch({ rounds, failed: failed3, requests }) {
  return `${count(rounds, "round")}, ${failed3} failed, ${count(requests, "request")}.`;
}
function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
function warningsOf(round) {
  const notes = round.records.flatMap((record) => [...driftNotes(record), ...record.notes]);
  return [.../* @__PURE__ */ new Set([...round.warnings, ...notes])];
}
function otherVotes(round) {
  const problems = [...problemsOf(round).keys()].join();
  return round.votes.filter((vote) => !problems.includes(nameVotes([vote])));
}
function problemsOf(round) {
  const problems = [round.problem, ...round.records.map((record) => record.problem)];
  return new Map(problems.flatMap((problem) => problem ? [[wordProblem(problem), problem.reason]] : []));
}
function driftNotes({ hostname, type, result, ifServed, drift }) {
  const effects = {
    unchanged: `It was not changed. To change it, set ${setting("on-drift", "repair")}.`,
    updated: "This run changed it.",
    "would-update": "The update would change it.",
    failed: "The update that failed would have changed it."
  };
  const effect = effects[ifServed ?? result];
  return drift.map(
    ({ field, found, wanted }) => `The ${field} of ${hostname} (${type}) was ${found} instead of ${wanted}. ${effect}`
  );
}

// action/report/report.ts
function createReport(printer2, quiet = false) {
  const masked = /* @__PURE__ */ new Set();
  const safe = (text) => redact(text, (address) => {
    if (!masked.has(address)) printer2.secret(address);
    masked.add(address);
  });
  const log = (text) => printer2.line(safe(text));
  const warn = (text) => printer2.warning(safe(text));
  function describe(round) {
    const votes = otherVotes(round).map((vote) => `  ${vote.type} from ${vote.source}: ${describeVote(vote)}`);
    const lines = quiet ? round.records.filter(isNews).map(describeRecord) : [...votes, ...round.records.map(describeRecord), ...describeRound(round)];
    for (const line of lines) log(line);
  }
  function annotate(round) {
    for (const text of warningsOf(round)) warn(text);
    for (const [message, reason] of problemsOf(round)) printer2.error(safe(message), reason);
  }
  function publish(round) {
    process.exitCode = printer2.publish(round) && overall(round) !== "failed" ? 0 : 1;
  }
  return {
    mask({ token, urls, shown }) {
      for (const form of maskSecrets([token], urls, shown)) printer2.secret(form);
    },
    warn,
    start({ targets, addresses, maskAddress, intervalMs }) {
      maskAddresses(maskAddress);
      if (quiet) return;
      const names = targets.map((target) => target.hostname).join(", ");
      for (const { type, source } of addresses) {
        log(
          source.kind === "given" ? `Checking ${names} (${type}) against the given address ${source.address}.` : `Checking ${names} (${type}) against the detected address. Quorum: ${majority(source.sources.length)} of ${source.sources.length} sources.`
        );
      }
      if (intervalMs !== null) log(`Watching every ${intervalMs / 1e3} s until stopped.`);
    },
    round(round, nextMs) {
      const isCalm = round.problem === null && !round.records.some(isNews);
      const next2 = nextMs === void 0 || quiet ? null : `Next check at ${new Date(Date.now() + nextMs).toISOString().slice(11, 19)}Z.`;
      if (!isCalm || next2 === null) describe(round);
      if (!isCalm || !quiet) annotate(round);
      if (next2 !== null) log(isCalm ? `${describeCalm(round)} ${next2}` : next2);
      publish(round);
    },
    finishWatch(watched) {
      if (!quiet) log(describeWatch(watched));
      if (watched.rounds > 0) return;
      annotate(watched.last);
      publish(watched.last);
    }
  };
}

// action/report/runner-printer.ts
var import_node_fs6 = require("node:fs");

// members:os
var EOL = /* @__PURE__ */ (() => require("node:os").EOL)();

// node_modules/@actions/core/lib/utils.js
function toCommandValue(input) {
  if (input === null || input === void 0) {
    return "";
  } else if (typeof input === "string" || input instanceof String) {
    return input;
  }
  return JSON.stringify(input);
}
function toCommandProperties(annotationProperties) {
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

// node_modules/@actions/core/lib/command.js
function issueCommand(command2, properties, message) {
  const cmd = new Command(command2, properties, message);
  process.stdout.write(cmd.toString() + EOL);
}
var CMD_STRING = "::";
var Command = class {
  constructor(command2, properties, message) {
    if (!command2) {
      command2 = "missing.command";
    }
    this.command = command2;
    this.properties = properties;
    this.message = message;
  }
  toString() {
    let cmdStr = CMD_STRING + this.command;
    if (this.properties && Object.keys(this.properties).length > 0) {
      cmdStr += " ";
      let first = true;
      for (const key in this.properties) {
        if (this.properties.hasOwnProperty(key)) {
          const val = this.properties[key];
          if (val) {
            if (first) {
              first = false;
            } else {
              cmdStr += ",";
            }
            cmdStr += `${key}=${escapeProperty(val)}`;
          }
        }
      }
    }
    cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
    return cmdStr;
  }
};
function escapeData(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
function escapeProperty(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/:/g, "%3A").replace(/,/g, "%2C");
}

// members:crypto
var randomUUID = () => globalThis.crypto.randomUUID();

// members:fs
var appendFileSync = /* @__PURE__ */ (() => require("node:fs").appendFileSync)();
var existsSync2 = /* @__PURE__ */ (() => require("node:fs").existsSync)();

// node_modules/@actions/core/lib/file-command.js
function issueFileCommand(command2, message) {
  const filePath = process.env[`GITHUB_${command2}`];
  if (!filePath) {
    throw new Error(`Unable to find environment variable for file command ${command2}`);
  }
  if (!existsSync2(filePath)) {
    throw new Error(`Missing file at path: ${filePath}`);
  }
  appendFileSync(filePath, `${toCommandValue(message)}${EOL}`, {
    encoding: "utf8"
  });
}
function prepareKeyValueMessage(key, value) {
  const delimiter = `ghadelimiter_${randomUUID()}`;
  const convertedValue = toCommandValue(value);
  if (key.includes(delimiter)) {
    throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
  }
  if (convertedValue.includes(delimiter)) {
    throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
  }
  return `${key}<<${delimiter}${EOL}${convertedValue}${EOL}${delimiter}`;
}

// node_modules/@actions/core/lib/core.js
var ExitCode;
(function(ExitCode2) {
  ExitCode2[ExitCode2["Success"] = 0] = "Success";
  ExitCode2[ExitCode2["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
function setSecret(secret) {
  issueCommand("add-mask", {}, secret);
}
function setOutput(name, value) {
  const filePath = process.env["GITHUB_OUTPUT"] || "";
  if (filePath) {
    return issueFileCommand("OUTPUT", prepareKeyValueMessage(name, value));
  }
  process.stdout.write(EOL);
  issueCommand("set-output", { name }, toCommandValue(value));
}
function error(message, properties = {}) {
  issueCommand("error", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function warning(message, properties = {}) {
  issueCommand("warning", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function info(message) {
  process.stdout.write(message + EOL);
}

// action/report/outputs.ts
function outputsOf(round) {
  const [first] = round.records;
  const problem = round.problem ?? round.records.find((record) => record.problem)?.problem;
  const addresses = round.records.filter(({ hostname, address }) => hostname === first?.hostname && address);
  return {
    result: overall(round),
    changed: round.records.some((record) => record.written),
    address: addresses.map(({ address }) => address).join("\n"),
    "previous-address": first?.previousAddress ?? "",
    "record-id": first?.recordId ?? "",
    drift: first?.drift ?? [],
    requests: round.requests,
    reason: problem?.reason ?? "",
    records: round.records.map(outputOf)
  };
}
function outputOf(record) {
  return {
    hostname: record.hostname,
    type: record.type,
    "zone-id": record.zoneId ?? "",
    result: record.result,
    changed: record.written,
    address: record.address,
    "previous-address": record.previousAddress,
    "record-id": record.recordId,
    drift: record.drift,
    ...record.servedBy && { "served-by": record.servedBy },
    reason: record.problem?.reason ?? null,
    message: record.problem ? redactSecrets(wordProblem(record.problem)) : null
  };
}

// action/report/summary.ts
function summaryOf(round) {
  const result = round.problem ? `failed: ${round.problem.reason}` : overall(round);
  const title2 = round.records.length === 1 ? `${round.records[0]?.hostname}: ${result}` : result;
  const rows2 = round.records.map(
    (record) => row([
      record.hostname,
      record.type,
      record.previousAddress ?? "\u2013",
      addressAfter(record),
      record.problem ? `failed: ${record.problem.reason}` : record.result
    ])
  );
  const votes = otherVotes(round).map((vote) => row([vote.source, vote.type, describeVote(vote)]));
  const next2 = nextSteps(round);
  return [
    `### ${escapeMarkdown(`Homeport, ${title2}`)}`,
    table2(["Hostname", "Type", "Before", "After", "Result"], rows2),
    table2(["Address source", "Type", "Vote"], votes),
    ...describeRound(round).map(escapeMarkdown),
    next2.length === 0 ? "Nothing to do." : "**What to do**",
    next2.join("\n")
  ].filter((part) => part !== "").join("\n\n").concat("\n\n");
}
function nextSteps(round) {
  const planned = round.records.filter(({ result }) => result === "would-update" || result === "would-create");
  const names = planned.map(({ hostname }) => hostname).join(", ");
  const dryRun = planned.length === 0 ? [] : [`This was a dry run. To write ${names}, run without dry-run.`];
  const steps = [...problemsOf(round).keys(), ...dryRun, ...warningsOf(round)];
  return steps.map((step) => escapeMarkdown(step).replace(/^/gm, "- "));
}
function addressAfter(record) {
  const { problem, address, previousAddress } = record;
  if (problem?.reason === "write-unconfirmed") return "unknown";
  if (problem?.reason === "record-missing") return "\u2013";
  const isNew = record.written || ["would-update", "would-create"].includes(record.result);
  return (isNew ? address : previousAddress) ?? "\u2013";
}
function table2(head, rows2) {
  return rows2.length === 0 ? "" : [row(head), `|${" --- |".repeat(head.length)}`, ...rows2].join("\n");
}
function row(cells) {
  return `| ${cells.map(escapeMarkdown).join(" | ")} |`;
}
function escapeMarkdown(text) {
  return redact(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replace(/[\\`*_[\]|~#]/g, (character) => `\\${character}`);
}

// action/report/runner-printer.ts
var title = "Homeport";
function runnerPrinter(summaryFile) {
  const warning2 = (text) => warning(text, { title });
  const error2 = (text, reason) => error(text, { title: reason ? `${title}: ${reason}` : title });
  return {
    secret: setSecret,
    line: info,
    warning: warning2,
    error: error2,
    publish(round) {
      const outputs = outputsOf(round);
      const set = tryWrite(() => {
        for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
      });
      if ("problem" in set) {
        error2(
          `Failed to write the outputs (${set.problem}), so later steps do not get them. The result is ${outputs.result}; the log shows each record. Check the disk of the runner.`
        );
      }
      const appended = tryWrite(() => {
        if (summaryFile) (0, import_node_fs6.appendFileSync)(summaryFile, summaryOf(round));
      });
      if ("problem" in appended) {
        warning2(`Failed to write the job summary (${appended.problem}). The result is not affected.`);
      }
      return "value" in set;
    }
  };
}
function tryWrite(write) {
  try {
    return { value: write() };
  } catch (error2) {
    return { problem: nameOf(error2) };
  }
}

// action/report/terminal-printer.ts
var import_node_fs7 = require("node:fs");
function terminalPrinter(json) {
  let isLogLost = false;
  let isObjectLost = false;
  function print(text) {
    const time = (/* @__PURE__ */ new Date()).toISOString().replace(/\.\d+Z$/, "Z");
    const written = writeTo(json ? 2 : 1, text.replace(/^/gm, `${time} `).concat("\n"));
    const isLost = "problem" in written;
    if (isLost && !json && !isLogLost)
      writeTo(
        2,
        `warning: Failed to write the log to stdout (${written.problem}). Updates continue without it.
`
      );
    isLogLost = isLost;
  }
  return {
    secret: () => {
    },
    line: print,
    warning: (text) => print(`warning: ${text}`),
    error: (text) => print(text.replace(/^/gm, "error: ")),
    publish(round) {
      if (!json) return true;
      const object = { time: (/* @__PURE__ */ new Date()).toISOString(), ...outputsOf(round) };
      const written = writeTo(1, `${JSON.stringify(object)}
`);
      if ("problem" in written) {
        isObjectLost = true;
        print(
          `error: Failed to write the JSON object to stdout (${written.problem}). The log shows each record. Check the disk.`
        );
      }
      return !isObjectLost;
    }
  };
}
var maxPipeWaits = 500;
var pipeWaitMs = 10;
var stalled = /* @__PURE__ */ new Set();
function writeTo(descriptor, text) {
  const bytes = Buffer.from(text);
  let waits = stalled.has(descriptor) ? maxPipeWaits : 0;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += (0, import_node_fs7.writeSync)(descriptor, bytes, written);
      stalled.delete(descriptor);
    } catch (error2) {
      const code = nameOf(error2);
      if (code !== "EAGAIN") return { problem: code };
      if (waits++ >= maxPipeWaits) {
        stalled.add(descriptor);
        return { problem: code };
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pipeWaitMs);
    }
  }
  return { value: null };
}

// action/address/detect.ts
var dissentGraceMs = 500;
async function detectAddress({ type, source, suffixes }, rules, context) {
  const prefixLength = Math.max(0, ...[...suffixes.values()].map((suffix) => suffix.prefixLength));
  const keyOf = (address2) => prefixLength > 0 ? ipv6Network(address2, prefixLength) : address2;
  const detectedRules = prefixLength > 0 ? { ...rules, expectedCidrs: [], isPrefix: true } : rules;
  const take = (votes2, address2, warnings) => {
    const problem = checkAddress(address2, detectedRules);
    return problem ? { type, votes: votes2, problem } : { type, votes: votes2, value: { address: address2, suffixes, warnings } };
  };
  if (source.kind === "given") return take([], keyOf(source.address), []);
  const askSource = (voter, send4) => {
    if (voter.kind === "echo") return askEcho(voter, type, send4);
    if (voter.kind === "dns") return askDns(voter, type, send4, keyOf);
    return askInterface(voter, type, context.interfaces(), rules.allowReserved, keyOf);
  };
  const ask2 = async (voter, signal) => {
    const answer = await askSource(voter, sendWithRetry(context, signal));
    return { source: voter.name, ...prefixLength > 0 ? prefixOf(answer, keyOf, prefixLength) : answer };
  };
  const votes = await collectVotes(source.sources, ask2, context.clock);
  const counted = countVotes(votes);
  if ("problem" in counted) {
    const { problem } = counted;
    const advice2 = type === "AAAA" && votes.some(hasNoRoute) ? ` ${noIpv6}` : "";
    return { type, votes, problem: { ...problem, message: problem.message + advice2 } };
  }
  const address = counted.value;
  const dissent = votes.filter((vote) => "value" in vote && vote.value !== address);
  const warning2 = `The quorum agreed on ${address}, but other sources returned another address (${nameVotes(dissent)}). If this persists, look for a second uplink or a faulty source.`;
  return take(votes, address, dissent.length === 0 ? [] : [warning2]);
}
function hasNoRoute(vote) {
  return "problem" in vote && /\b(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)\b/.test(vote.problem);
}
var noIpv6 = "This machine has no IPv6. If it is a container, give it the network of its host: `network_mode: host`.";
function addressFor(hostname, { address, suffixes }, rules) {
  const suffix = suffixes.get(hostname);
  if (!suffix) return { value: address };
  const composed = withSuffix(address, suffix);
  const problem = checkAddress(composed, rules);
  return problem ? { problem } : { value: composed };
}
function prefixOf(answer, keyOf, prefixLength) {
  if ("problem" in answer) return answer;
  const { value, note } = answer;
  const prefix = `the /${prefixLength} of ${value}`;
  return { value: keyOf(value), note: note === void 0 ? prefix : `${prefix}; ${note}` };
}
function sendWithRetry({ exchange: exchange3, clock, deadline }, signal) {
  let endMs = null;
  return async (request) => {
    async function attempt() {
      const startMs = clock.now();
      const { callMs } = deadline;
      const timeoutMs = endMs === null ? callMs : Math.max(1, endMs - startMs);
      const answer2 = await exchange3({ ...request, timeoutMs, signal });
      const nowMs = clock.now();
      endMs ??= (nowMs - startMs > callMs ? nowMs : startMs) + callMs;
      return answer2;
    }
    const answer = await attempt();
    const reset = answer.kind === "failure" && (answer.cause === "reset" || answer.cause === "cut");
    return reset ? attempt() : answer;
  };
}
async function collectVotes(sources, ask2, clock) {
  const votes = /* @__PURE__ */ new Map();
  const stop2 = new AbortController();
  const done = new AbortController();
  let decided = false;
  await Promise.all(
    sources.map(async (source) => {
      votes.set(source, await ask2(source, stop2.signal));
      const missing2 = sources.length - votes.size;
      if (decided || missing2 === 0 || !isDecided([...votes.values()], missing2)) return;
      decided = true;
      void clock.sleep(dissentGraceMs, done.signal).then(() => stop2.abort());
    })
  );
  done.abort();
  return sources.flatMap((source) => votes.get(source) ?? []);
}

// action/reconcile.ts
function findRecord(listed, hostname, type) {
  const atName = listed.filter((record2) => record2.name === hostname);
  const records = atName.filter((record2) => record2.type === type);
  if (atName.some((other) => other.type === "CNAME")) return { kind: "cname" };
  const [record, ...others] = records;
  if (!record) return { kind: "none", types: [...new Set(atName.map((other) => other.type))] };
  return others.length > 0 ? { kind: "several", records } : { kind: "one", record };
}
function reconcile(listed, wanted) {
  const lookup2 = findRecord(listed, wanted.hostname, wanted.type);
  if (lookup2.kind === "none" && wanted.create) return { kind: "create", body: bodyOf(wanted) };
  if (lookup2.kind !== "one") return { kind: "refuse", problem: explainRefusal(lookup2, wanted) };
  const { record } = lookup2;
  const body = bodyOf(wanted, record);
  const drift = driftOf(record, body);
  const right = record.content === wanted.address;
  if (right && (drift.length === 0 || wanted.onDrift === "warn")) return { kind: "unchanged", record, drift };
  if (record.readOnly) return { kind: "refuse", problem: explainRefusal({ kind: "read-only" }, wanted) };
  return { kind: "update", record, body: replacementOf(record, body), drift };
}
function replacementOf({ comment, tags, settings, privateRouting }, { type, name, content, ttl, proxied }) {
  return {
    type,
    name,
    content,
    ttl,
    proxied,
    ...comment === null ? {} : { comment },
    ...tags.length === 0 ? {} : { tags },
    ...Object.keys(settings).length === 0 ? {} : { settings },
    ...privateRouting === null ? {} : { private_routing: privateRouting }
  };
}
function differences(record, body, id) {
  const fields = [
    ["id", record.id, id ?? record.id],
    ["type", record.type, body.type],
    ["name", record.name, body.name],
    ["content", record.content, body.content],
    ["ttl", effectiveTtl(record), effectiveTtl(body)],
    ["proxied", record.proxied, body.proxied]
  ];
  return fields.filter(([, found, sent]) => found !== sent).map(([field, found, sent]) => ({ field, found: String(found), sent: String(sent) }));
}
function lostFields(record, before) {
  const settings = /* @__PURE__ */ new Set([...servingSettings, ...Object.keys(before.settings)]);
  const [found, sent] = [carriedFields(record, settings), carriedFields(before, settings)];
  return Object.keys(found).filter((field) => found[field] !== sent[field]).map((field) => ({ field, found: found[field], sent: quote(sent[field]) }));
}
var servingSettings = ["ipv4_only", "ipv6_only"];
function carriedFields({ comment, tags, settings, privateRouting }, compared) {
  const on = Object.entries(settings).filter(
    ([name, setting2]) => compared.has(name) && setting2 !== false && setting2 !== null
  );
  const folded = tags.map((tag) => tag.replace(/[^:]*/, (name) => name.toLowerCase()));
  return {
    comment: comment ?? "",
    tags: folded.toSorted().join(", "),
    settings: JSON.stringify(Object.fromEntries(on.toSorted())),
    private_routing: String(privateRouting ?? false)
  };
}
function bodyOf({ type, hostname, address, ttl, proxied }, kept = { ttl: 1, proxied: false }) {
  return {
    type,
    name: hostname,
    content: address,
    ttl: ttl ?? kept.ttl,
    proxied: proxied ?? kept.proxied
  };
}
function driftOf(record, wanted) {
  const ttl = { field: "ttl", found: effectiveTtl(record), wanted: effectiveTtl(wanted) };
  const proxied = { field: "proxied", found: record.proxied, wanted: wanted.proxied };
  return [ttl, proxied].filter(({ found, wanted: wanted2 }) => found !== wanted2);
}
function effectiveTtl({ ttl, proxied }) {
  return proxied ? 1 : ttl;
}

// action/decide.ts
function decide(slot, learned, listing, inputs2) {
  const { hostname, type, zoneId } = slot;
  if ("problem" in learned) return refuse2(slot, learned.problem, null);
  const address = learned.value;
  if (!listing) throw new Error("Records are listed whenever an address is known.");
  if ("problem" in listing) return refuse2(slot, withoutWrite(listing.problem), address);
  if (zoneId === null) throw new Error("Records are listed only of a known zone.");
  const wanted = { ...inputs2.record, hostname, type, address };
  const plan = reconcile(listing.value, wanted);
  if (plan.kind === "refuse") return refuse2(slot, plan.problem, address);
  if (plan.kind === "unchanged") {
    const result = resultOf(slot, address, plan, { result: "unchanged", confirmed: plan.record });
    return { kind: "done", result };
  }
  const managesIpv6 = inputs2.addresses.some((other) => other.type === "AAAA");
  const staysProxied = plan.kind === "update" && plan.body.proxied && inputs2.record.proxied === null;
  const notes = [
    ...managesIpv6 ? [] : staleIpv6Notes(listing.value, hostname),
    ...staysProxied ? [`${hostname} (${type}) is proxied, and stays so because ${setting("proxied")} is not set.`] : []
  ];
  return { kind: "write", slot: { ...slot, zoneId }, plan, notes };
}
async function checkCreation(decision, suffixOf) {
  if (decision.kind === "done" || decision.plan.kind !== "create") return decision;
  const { slot, plan } = decision;
  const suffix = await suffixOf(slot.zoneId);
  if ("problem" in suffix) return refuse2(slot, withoutWrite(suffix.problem), plan.body.content);
  if (!isOutside(slot.hostname, suffix.value)) return decision;
  return refuse2(slot, explainOutside(slot, suffix.value), plan.body.content);
}
function resultOf(slot, address, plan, became) {
  const existing = plan && plan.kind !== "create" ? plan : null;
  const result = {
    ...slot,
    address,
    previousAddress: existing?.record.content ?? null,
    recordId: existing?.record.id ?? null,
    confirmed: null,
    servedBy: null,
    drift: existing?.drift ?? [],
    written: false,
    ifServed: null,
    problem: null,
    notes: [],
    ...became
  };
  const { confirmed: confirmed2 } = result;
  if (!confirmed2 || confirmed2.hiddenBy.length === 0) return result;
  const problem = explainHidden(confirmed2);
  return { ...result, result: "failed", ifServed: result.result, problem, confirmed: null };
}
function failedResult(slot, address, problem) {
  return resultOf(slot, address, null, { result: "failed", problem });
}
function refuse2(slot, problem, address) {
  return { kind: "done", result: failedResult(slot, address, problem) };
}
function withoutWrite(problem) {
  return { ...problem, message: `${problem.message} Nothing was written.` };
}
function staleIpv6Notes(listed, hostname) {
  const stale = listed.filter(({ name, type }) => name === hostname && type === "AAAA");
  if (stale.length === 0) return [];
  const contents = stale.map(({ content }) => content).join(", ");
  return [
    `${hostname} also has an AAAA record (${contents}), which this run does not manage. Most clients try it first, so it must not be out of date: check it, delete it, or set ${setting("record-type", "A,AAAA")}.`
  ];
}

// action/reach.ts
var unresolved = /EAI_AGAIN|ENOTFOUND|its name was not resolved/;
var unrouted = /ENETUNREACH|EHOSTUNREACH/;
function createReach() {
  let hasReached = false;
  const failures = [];
  const explain2 = () => {
    if (hasReached || failures.length === 0) return null;
    if (failures.every((detail) => unresolved.test(detail)))
      return "This machine cannot resolve names. Check its DNS resolver.";
    return failures.every((detail) => unresolved.test(detail) || unrouted.test(detail)) ? "This machine has no network." : null;
  };
  return {
    hasReached: () => hasReached,
    note(outcome) {
      if (outcome.kind === "response") hasReached = true;
      else if (outcome.cause !== "aborted") failures.push(outcome.detail);
    },
    explainIn(problem) {
      const why = problem && ofNetwork.includes(problem.reason) ? explain2() : null;
      return problem && why ? { reason: problem.reason, message: `${problem.message} ${why}` } : problem;
    }
  };
}
var ofNetwork = ["address-unavailable", "service-unavailable", "deadline"];

// action/write.ts
var maxWrites = 2;
var maxWaitMs2 = 500;
var retryTooLate = "its Retry-After is later than the deadline";
async function carryOut({ slot, plan, notes }, api) {
  const writing = api.writesOf(slot.zoneId)(() => writeUntilKnown(api, slot, plan));
  const became = await writing.catch((error2) => {
    const { message } = unhandledError(error2, `It may have written ${slot.hostname}`);
    return failed2({ reason: "write-unconfirmed", message });
  });
  const known = became.notes && { notes: [...became.notes, ...notes] };
  return resultOf(slot, plan.body.content, plan, { ...became, ...known });
}
async function writeUntilKnown(api, target, planned) {
  const { deadline, clock } = api;
  let plan = planned;
  let mayHaveHappened = false;
  for (let attempt = 1; ; attempt++) {
    const spareMs = deadline.remainingMs() - deadline.callMs;
    if (spareMs <= 0) {
      if (mayHaveHappened) return unconfirmed(target, plan, "no time was left to repeat the write");
      const message = `No time was left to write ${target.hostname} and read it back, so nothing was written.`;
      return failed2({ reason: "deadline", message, setting: "timeout" });
    }
    const recordId = plan.kind === "update" ? plan.record.id : null;
    const outcome = await sendRecord(api, target, recordId, plan.body, spareMs);
    if (outcome.kind === "refused" && !mayHaveHappened) return failed2(outcome.problem);
    const written = readWritten(outcome, plan);
    if ("value" in written) {
      if (plan.kind === "create") return confirmSingle(api, target, plan, written.value);
      return confirmed(plan, { ...written.value, hiddenBy: plan.record.hiddenBy });
    }
    if (outcome.kind === "answered" && plan.kind === "create" && outcome.record.name !== target.hostname) {
      return failed2(explainMisplaced(target, outcome.record), outcome.record);
    }
    const why = written.problem;
    const repeatable = outcome.kind === "unknown" && !outcome.isFinal || outcome.kind === "limited";
    mayHaveHappened ||= outcome.kind !== "limited";
    const giveUp = (then) => outcome.kind === "limited" && !mayHaveHappened ? failed2(outcome.problem) : unconfirmed(target, plan, `${why}; ${then}`);
    const retryAfterMs = repeatable ? outcome.retryAfterMs : null;
    const forWaitingMs = Math.max(0, deadline.remainingMs() - deadline.callMs);
    const tooLate = (retryAfterMs ?? 0) > forWaitingMs;
    if (tooLate && !mayHaveHappened) return giveUp(retryTooLate);
    const jitterMs = Math.min(clock.random() * maxWaitMs2, forWaitingMs);
    await clock.sleep(tooLate ? jitterMs : retryAfterMs ?? jitterMs);
    const found = await readBack(api, target, plan);
    if (found.kind === "other") return giveUp(found.what);
    if (found.kind === "new") {
      const lost = lostBy(plan, found.record);
      if (lost.length > 0) return failed2(explainLoss(plan, lost), found.record);
      const note = `The write of ${target.hostname} was confirmed only by reading the record back: ${why}.`;
      return confirmed(plan, found.record, note);
    }
    const old = `a later read showed no change after ${attempt === 1 ? "one attempt" : `${attempt} attempts`}`;
    if (tooLate) return giveUp(`${old}, and ${retryTooLate}`);
    if (attempt === maxWrites || !repeatable) return giveUp(old);
    plan = found.plan;
  }
}
async function confirmSingle(api, target, plan, record) {
  const { clock } = api;
  let found = await readBack(api, target, plan);
  if (found.kind === "old") {
    await clock.sleep(clock.random() * maxWaitMs2);
    found = await readBack(api, target, plan);
  }
  if (found.kind === "new") return confirmed(plan, found.record);
  if (found.kind === "old" || !found.several) {
    const why = found.kind === "old" ? "a later read showed no record at the name" : found.what;
    return unconfirmed(target, plan, `Cloudflare created ${record.id}, but ${why}`, record);
  }
  const message = `${target.hostname} has ${nameRecords(found.several)}, because something else created a record at the same time as this run created ${record.id}. Delete all but one. Let only one program update the hostname.`;
  return failed2({ reason: "record-ambiguous", message }, record);
}
function confirmed({ kind }, record, ...notes) {
  const result = kind === "update" ? "updated" : "created";
  return { result, recordId: record.id, written: true, confirmed: record, notes };
}
function failed2(problem, record = null) {
  return { result: "failed", problem, ...record && { recordId: record.id, written: true } };
}
function readWritten(outcome, plan) {
  if (outcome.kind === "refused") {
    const problem = `the outcome of the first attempt is unknown, and Cloudflare refused the second (${outcome.what})`;
    return { problem };
  }
  if (outcome.kind === "limited") return { problem: "the rate limit was reached" };
  if (outcome.kind === "unknown") return { problem: outcome.what };
  const { record } = outcome;
  const wrong = differences(record, plan.body, plan.kind === "update" ? plan.record.id : null);
  const lost = lostBy(plan, record);
  if (wrong.length === 0 && lost.length === 0) return { value: record };
  return { problem: `the response shows ${nameDifferences([...wrong, ...lost])}` };
}
function lostBy(plan, record) {
  return plan.kind === "update" ? lostFields(record, plan.record) : [];
}
async function readBack(api, target, plan) {
  const listing = await listRecords(api, target);
  if ("problem" in listing) {
    const what = `reading it back failed: ${listing.problem.message.replace(/\.$/, "")}`;
    return { kind: "other", what };
  }
  const other = (what, several) => {
    return { kind: "other", what: `a later read showed that ${what}`, ...several && { several } };
  };
  const lookup2 = findRecord(listing.value, target.hostname, plan.body.type);
  if (lookup2.kind === "cname")
    return other(`the name has a CNAME, which prevents an ${plan.body.type} record`);
  if (lookup2.kind === "several")
    return other(`the name has ${nameRecords(lookup2.records)}; delete all but one`, lookup2.records);
  if (lookup2.kind === "none") {
    return plan.kind === "create" ? { kind: "old", plan } : other("the record is gone");
  }
  const { record } = lookup2;
  if (plan.kind === "update" && record.id !== plan.record.id) {
    return other(`the record is gone, and ${record.id} has replaced it`);
  }
  const wrong = differences(record, plan.body, null);
  if (wrong.length === 0) return { kind: "new", record };
  if (record.readOnly) return other("the record is now managed by another product");
  if (plan.kind === "update") {
    const { content, ttl, proxied } = plan.record;
    const before = { ...plan.body, content, ttl, proxied };
    const body = replacementOf(record, plan.body);
    if (differences(record, before, null).length === 0)
      return { kind: "old", plan: { ...plan, record, body } };
  }
  return other(`it has ${nameDifferences(wrong)}`);
}
function explainLoss({ body }, lost) {
  const message = `The update of ${body.name} to ${body.content} was written, but a later read showed ${nameDifferences(lost)}. Set that again by hand: Homeport does not know what it was.`;
  return { reason: "write-unconfirmed", message };
}
function unconfirmed({ hostname }, plan, why, record = null) {
  const [what, states] = plan.kind === "update" ? [`update of ${hostname} from ${plan.record.content} to ${plan.body.content}`, "hold either address"] : [`creation of ${hostname} with ${plan.body.content}`, "exist or not"];
  const message = `Could not confirm the ${what}: ${why}. The record may ${states}.`;
  return failed2({ reason: "write-unconfirmed", message }, record);
}

// action/remembered-writes.ts
var minChanges = 2;
async function writeAndRemember(decision, api, writes) {
  const { slot, plan, notes } = decision;
  const name = `${slot.type} ${slot.hostname}`;
  const last2 = writes.get(name);
  const found = last2?.body ? foundInPlaceOf(last2.body, plan) : "";
  const changes = (last2?.changes ?? 0) + (found === "" ? 0 : 1);
  const note = `Something else changed back what this process had written to ${slot.hostname} (${slot.type}), ${changes} times so far: ${found}. Find the other program, and let only one of them update the record.`;
  const isNoted = found !== "" && changes >= minChanges;
  const result = await carryOut({ ...decision, notes: isNoted ? [...notes, note] : notes }, api);
  writes.set(name, { body: result.written ? plan.body : null, changes });
  return result;
}
function foundInPlaceOf(body, plan) {
  return plan.kind === "create" ? "the record is gone" : nameDifferences(differences(plan.record, body, null));
}

// action/round.ts
var offlinePauseMs = 250;
var nothingWritten = "It wrote nothing for this name";
async function runRound(inputs2, exchange3, clock, { interfaces, dns, zones, writes }) {
  const startMs = clock.now();
  const deadline = startDeadline(inputs2.timeoutMs, clock);
  let requests = 0;
  const reach = createReach();
  const counted = async (request) => {
    requests++;
    for (; ; ) {
      const timeoutMs = Math.min(request.timeoutMs, Math.max(1, deadline.remainingMs()));
      const outcome = await exchange3({ ...request, timeoutMs });
      reach.note(outcome);
      const isLate2 = outcome.kind === "failure" && outcome.cause === "unsent" && !reach.hasReached();
      if (!isLate2 || deadline.remainingMs() <= offlinePauseMs) return outcome;
      await clock.sleep(offlinePauseMs, request.signal);
    }
  };
  const api = openDnsApi(inputs2, counted, deadline, clock);
  const knownZones = new Set(zones.values());
  const detecting = detectAll(inputs2, { ...api, interfaces });
  const given2 = inputs2.addresses.every(({ source }) => source.kind === "given");
  const isHopeless = given2 && (await detecting).every((detection) => "problem" in detection);
  const list2 = createLister(inputs2.targets, zones, api);
  const suffixes = /* @__PURE__ */ new Map();
  const suffixOf = (zoneId) => getOrCreate(suffixes, zoneId, () => readZoneSuffix(api, zoneId));
  const keep = async (name) => {
    const unlisted = (error2) => {
      return { target: name, listing: { problem: unhandledError(error2, nothingWritten) } };
    };
    const listed = isHopeless ? { target: name, listing: null } : list2(name).catch(unlisted);
    const [detections2, { target, listing }] = await Promise.all([detecting, listed]);
    const keepOne = async (detection) => {
      const learned = "value" in detection ? addressFor(target.hostname, detection.value, inputs2.addressRules) : detection;
      const decided = decide({ ...target, type: detection.type }, learned, listing, inputs2);
      const decision = await checkCreation(decided, suffixOf);
      if (decision.kind === "done") return decision.result;
      return inputs2.dryRun ? wouldWrite(decision) : writeAndRemember(decision, api, writes);
    };
    return Promise.all(
      detections2.map(
        (detection) => keepOne(detection).catch(
          (error2) => failedResult({ ...target, type: detection.type }, null, unhandledError(error2))
        )
      )
    );
  };
  const results = (await Promise.all(inputs2.targets.map(keep))).flat();
  const detections = await detecting;
  const newZones = [...new Set(zones.values())].filter((zone) => !knownZones.has(zone));
  const zoneWarnings = newZones.flatMap(({ warning: warning2 }) => warning2 ?? []);
  for (const { hostname, problem } of results) if (mayBeStale(problem)) zones.delete(hostname);
  const verified = inputs2.verify === "dns" ? await verifyAll(results, inputs2.servers, { ...api, dns: dns() }) : results;
  return {
    records: verified.map((result) => ({ ...result, problem: reach.explainIn(result.problem) })),
    votes: detections.flatMap(({ type, votes }) => votes.map((vote) => ({ ...vote, type }))),
    warnings: [
      ...detections.flatMap((detection) => "value" in detection ? detection.value.warnings : []),
      ...zoneWarnings
    ],
    problem: null,
    requests,
    elapsedMs: clock.now() - startMs
  };
}
function detectAll({ addresses, addressRules }, context) {
  return Promise.all(
    addresses.map(
      (address) => detectAddress(address, addressRules, context).catch((error2) => {
        const problem = unhandledError(error2, nothingWritten);
        return { type: address.type, votes: [], problem };
      })
    )
  );
}
function createLister(targets, zones, api) {
  const findZone = createZoneFinder(api, zones);
  const lists = /* @__PURE__ */ new Map();
  return async (target) => {
    const { hostname, zoneId } = target;
    const zone = zoneId === null ? await findZone(hostname) : { value: { id: zoneId, name: null } };
    if ("problem" in zone) return { target, listing: zone };
    const { id, name } = zone.value;
    const isInZone = (other) => other.zoneId === zoneId && (name === null || isInDomain(other.hostname, name) && (zones.get(other.hostname)?.id ?? id) === id);
    const list2 = getOrCreate(
      lists,
      `${id} ${name}`,
      () => listZone(
        api,
        id,
        targets.filter(isInZone).map((other) => other.hostname)
      )
    );
    return { target: { ...target, zoneId: id }, listing: (await list2).get(hostname) ?? null };
  };
}
function wouldWrite({ slot, plan, notes }) {
  const confirmed2 = plan.kind === "update" ? plan.record : null;
  const result = confirmed2 ? "would-update" : "would-create";
  return { ...resultOf(slot, plan.body.content, plan, { result, notes, confirmed: confirmed2 }), confirmed: null };
}
async function verifyAll(results, servers, context) {
  const records = results.flatMap(
    ({ confirmed: confirmed2, ...result }) => confirmed2 ? { ...result, address: confirmed2.content, proxied: confirmed2.proxied } : []
  );
  const verifications = await verifyServed(records, servers, context).catch((error2) => {
    const consequence = "Cloudflare confirmed the record, but its name servers were not asked";
    return records.map(() => ({ problem: unhandledError(error2, consequence) }));
  });
  const next2 = verifications.values();
  return results.map((result) => {
    const verification = result.confirmed ? next2.next().value : null;
    if (!verification) return result;
    if ("value" in verification) {
      const { servedBy, notes } = verification.value;
      return { ...result, servedBy, notes: [...result.notes, ...notes] };
    }
    return { ...result, result: "failed", ifServed: result.result, problem: verification.problem };
  });
}

// action/watch.ts
var jitterShare = 0.1;
var maxBackOffMs = 15 * 6e4;
async function watch(intervalMs, round, exchange3, clock, stop2, onRound) {
  const watched = {
    last: withoutRound({
      reason: "unexpected",
      message: "Homeport was asked to stop before its first round was over. Nothing was written."
    }),
    rounds: 0,
    failed: 0,
    requests: 0
  };
  let failuresInARow = 0;
  while (!stop2.aborted) {
    const startMs = clock.now();
    const guard = guardUntil(stop2, exchange3, clock);
    const result = await round(guard.exchange, guard.clock).catch(failedRound);
    const requests = result.requests - guard.refusals;
    watched.requests += requests;
    const isFailed = overall(result) === "failed";
    const isCut = guard.refusals > 0 || isFailed && guard.endedWait;
    if (isCut && !mayHaveWritten(result)) break;
    failuresInARow = isFailed && !isUnserved(result) ? failuresInARow + 1 : 0;
    watched.last = { ...result, requests };
    watched.rounds++;
    if (isFailed) watched.failed++;
    const dueMs = startMs + waitMs(intervalMs, failuresInARow, clock.random());
    await onRound(watched.last, Math.max(0, dueMs - clock.now()));
    await clock.sleep(Math.max(0, dueMs - clock.now()), stop2);
  }
  return watched;
}
function waitMs(intervalMs, failuresInARow, random) {
  const jitteredMs = intervalMs * (1 - jitterShare / 2 + jitterShare * random);
  const backOffMs = jitteredMs * 2 ** Math.min(16, Math.max(0, failuresInARow - 1));
  return Math.min(backOffMs, Math.max(jitteredMs, maxBackOffMs));
}
function isUnserved({ records, problem }) {
  return problem === null && records.every((record) => (record.problem?.reason ?? "not-served") === "not-served");
}
function mayHaveWritten({ records }) {
  return records.some(({ written, problem }) => written || problem?.reason === "write-unconfirmed");
}
function guardUntil(stop2, exchange3, clock) {
  const guard = {
    refusals: 0,
    endedWait: false,
    async exchange(request) {
      if (!stop2.aborted) return exchange3(request);
      guard.refusals++;
      return failure("aborted", "Homeport was asked to stop");
    },
    clock: {
      ...clock,
      async sleep(ms, signal) {
        await clock.sleep(ms, signal ? AbortSignal.any([signal, stop2]) : stop2);
        guard.endedWait ||= stop2.aborted;
      }
    }
  };
  return guard;
}

// action/main.ts
var reported = false;
var { env } = process;
var mayHaveWritten2 = false;
var exchange2 = (request) => {
  mayHaveWritten2 ||= request.method !== "GET" && "Authorization" in request.headers;
  return exchange(request);
};
var printError = (message) => isAction(env) ? writeTo(1, `::error title=Homeport::${message}
`) : writeTo(2, `error: ${message}
`);
process.once("exit", () => {
  if (reported) return;
  process.exitCode = 1;
  const consequence = mayHaveWritten2 ? "It may have been writing. Run it again to check the records." : "It wrote nothing. Run it again.";
  printError(`Homeport ended without a result. ${consequence}`);
});
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {
});
var stop = new AbortController();
var isWatching = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    if (!isWatching || stop.signal.aborted) process.exit(reported ? void 0 : 1);
    stop.abort();
  });
}
process.once("uncaughtException", fail);
exitDespiteLookups();
var command = isAction(env) ? null : commandInputs(process.argv.slice(2), env);
var given = command?.given ?? actionInputs(env);
var printer = command ? terminalPrinter(command.json) : runnerPrinter(env["GITHUB_STEP_SUMMARY"]);
main().catch(fail);
function fail(error2) {
  printError(unexpected(error2).message);
  reported = true;
  process.exit(1);
}
function unexpected(error2) {
  return mayHaveWritten2 ? unhandledError(error2) : unhandledError(error2, "It wrote nothing");
}
async function main() {
  if (command?.help || command?.version) {
    const written = writeTo(1, command.help ? helpText() : `homeport ${version}
`);
    if ("problem" in written) printError(`Failed to write to stdout (${written.problem}).`);
    process.exitCode = "problem" in written ? 1 : 0;
  } else {
    await run();
  }
  reported = true;
  process.stdout.write("", () => process.stderr.write("", () => process.exit()));
}
async function run() {
  const report = createReport(printer, command?.quiet);
  const secrets = givenSecrets(given);
  report.mask(secrets);
  for (const text of given.warnings) report.warn(text);
  try {
    const reading = readInputs(given, env);
    if ("problem" in reading) return report.round(withoutRound(reading.problem));
    const inputs2 = reading.value;
    report.start(inputs2);
    const options = {
      interfaces: listInterfaces,
      dns: createDnsClient,
      zones: /* @__PURE__ */ new Map(),
      writes: /* @__PURE__ */ new Map()
    };
    const { heartbeatUrl, intervalMs } = inputs2;
    let { token } = inputs2;
    let isTokenDoubtful = false;
    const renewToken = () => {
      if (!isTokenDoubtful || given.tokenFile === null) return;
      const read = readTokenFile(given.tokenFile);
      if ("problem" in read)
        return report.warn(`${read.problem} The token that was read before stays in use.`);
      if (read.value === token) return;
      secrets.token += ` ${read.value}`;
      report.mask(secrets);
      token = read.value;
    };
    const tellMs = heartbeatUrl === null && inputs2.notify === null ? 0 : tellLimitMs(inputs2.timeoutMs);
    const timeoutMs = inputs2.timeoutMs - tellMs;
    let telling = Promise.resolve([]);
    const round = async (through, at) => {
      renewToken();
      const run2 = async () => {
        const result2 = await runRound({ ...inputs2, token, timeoutMs }, through, at, options).catch(
          failedRound
        );
        if (inputs2.notify !== null) telling = notify(inputs2.notify, result2.records, exchange2, tellMs);
        return result2;
      };
      const result = await (heartbeatUrl === null ? run2() : withHeartbeat(heartbeatUrl, run2, exchange2, () => stop.signal.aborted, tellMs));
      isTokenDoubtful = result.records.some(({ problem }) => mayBeStale(problem));
      return result;
    };
    const reportTold = async () => {
      for (const text of await telling) report.warn(`notify-url: ${text}`);
    };
    if (intervalMs === null) {
      const result = await round(exchange2, systemClock);
      report.round(result);
      reported = true;
      return await reportTold();
    }
    isWatching = true;
    const onRound = (result, nextMs) => {
      process.title = overall(result) === "failed" ? "homeport failed" : "homeport";
      report.round(result, stop.signal.aborted ? void 0 : nextMs);
      return reportTold();
    };
    report.finishWatch(await watch(intervalMs, round, exchange2, systemClock, stop.signal, onRound));
  } catch (error2) {
    report.round(withoutRound(unexpected(error2)));
  }
}

/******/ })()
;