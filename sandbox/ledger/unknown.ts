import type { LedgerId } from '../ledger.ts'

/** Something about the real service that no source tells, and the entry by which the sandbox does something meanwhile. */
export type Unknown = { readonly question: string; readonly meanwhile?: LedgerId }

/** What is not known, and therefore not claimed. */
export const unknown: readonly Unknown[] = [
  { question: 'What a request without any credential gets.', meanwhile: 'credential.missing' },
  {
    question: 'What the verify routes say to a token that does not exist.',
    meanwhile: 'credential.unknown.verify',
  },
  {
    question: 'Whether a token for one zone finds that zone by name: some saw 200, others 403.',
    meanwhile: 'zones.list.scoped-by-name',
  },
  {
    question: 'Whether PUT takes comment and tags away. Threads agree that it does; nobody here tried.',
    meanwhile: 'records.put.replaces',
  },
  { question: 'The HTTP status that comes with 81044 today.', meanwhile: 'error.81044' },
  { question: 'What a ttl of 0 does today; a client sent it for years.', meanwhile: 'error.9021' },
  { question: 'How long after a write a read can show what was before.', meanwhile: 'reads.stale' },
  { question: 'How long after a write the name servers can serve what was before.', meanwhile: 'dns.late' },
  { question: 'The code in the body of a 429 today.', meanwhile: 'limits.code' },
  { question: 'What a dot at the end of a name does in a filter. Here it finds nothing.' },
  { question: 'What the API says about zones that are suspended or banned. Here there are none.' },
  {
    question: 'Whether the service reads a script in the form in which the SDK 7 sends it.',
    meanwhile: 'workers.script.put.sdk',
  },
  {
    question: 'Whether deleting a script takes its custom domains and routes along.',
    meanwhile: 'workers.script.delete',
  },
  { question: 'What parameters do beside several statements of one text.', meanwhile: 'd1.several' },
  {
    question: 'How long an uploaded script or a new custom domain takes to be in force. Here it is at once.',
  },
  { question: 'What a Worker finds in request.cf. Here there is none.' },
]
