import { assumed, documented, type Entry } from './entry.ts'

const recordsReference = 'API reference, DNS Records for a Zone'

/** The name server. */
export const dns = {
  'dns.answer': documented(
    'Records of the asked name and type are answered with authority and their ttl.',
    'RFC 1035',
  ),
  'dns.cname': documented('An alias is answered and followed inside its zone.', 'RFC 1034 section 3.6.2'),
  'dns.wildcard': documented('A wildcard answers for names that do not exist.', 'RFC 4592'),
  'dns.negative': documented('Absence is NXDOMAIN or no data, with the SOA.', 'RFC 2308'),
  'dns.referral': documented(
    'A name below an NS record is referred to its servers.',
    'RFC 1034 section 4.3.2',
  ),
  'dns.refused': documented(
    'What is not of the zones served here, and every transfer, is REFUSED.',
    'RFC 1035 section 4.1.1; RFC 5936 for transfers',
  ),
  'dns.edns': documented('An OPT record is answered with one; versions above 0 get BADVERS.', 'RFC 6891'),
  'dns.truncated': documented('An answer too long for UDP is sent empty with TC.', 'RFC 2181 section 9'),
  'dns.ttl-automatic': documented('A ttl of 1 is served as 300.', recordsReference),
  'dns.late': assumed(
    'While control says so, a name server still serves what was before a change; the other may already serve it.',
    'changes reach name servers one by one; how late is not known',
  ),
  'dns.proxied': assumed(
    'A proxied name answers 198.51.100.1 and 2001:db8::1 instead of its content.',
    'the real ones are anycast addresses of the service',
  ),
} as const satisfies Readonly<Record<string, Entry>>
