import type { OpenQuestion } from '../../http/ledger.ts'
import type { LedgerId } from './ledger.ts'

/** What no source answers. */
export const unknown: readonly OpenQuestion<LedgerId>[] = [
  { question: 'What does a request without any credential get?', meanwhile: 'credential.missing' },
  {
    question: 'What do the verify routes return for a token that does not exist?',
    meanwhile: 'credential.unknown.verify',
  },
  {
    question: 'Can a token for one zone find that zone by name? Some saw 200, others 403.',
    meanwhile: 'zones.list.scoped-by-name',
  },
  {
    question: 'Does PUT erase comment and tags? Threads agree that it does; this project has not tried.',
    meanwhile: 'records.put.replaces',
  },
  { question: 'Which HTTP status comes with 81044 today?', meanwhile: 'error.81044' },
  { question: 'What does a ttl of 0 do today? One client sent it for years.', meanwhile: 'error.9021' },
  { question: 'How long after a write can a read return the old state?', meanwhile: 'reads.stale' },
  { question: 'Which code does a 429 carry today?', meanwhile: 'limits.code' },
  { question: 'What does a trailing dot in a filter of record names do? Here it finds nothing.' },
  { question: 'What does the API return for suspended or banned zones? Here there are none.' },
  {
    question: 'Does the service accept a script in the form that SDK 7 sends?',
    meanwhile: 'workers.script.put.sdk',
  },
  {
    question: 'Does an upload of a whole script keep the secrets that it neither sends nor names?',
    meanwhile: 'workers.script.put',
  },
  {
    question: 'Does deleting a script delete its custom domains and routes?',
    meanwhile: 'workers.script.delete',
  },
  { question: 'How are parameters assigned to several statements in one text?', meanwhile: 'd1.several' },
  {
    question: 'How long until an uploaded script or a new custom domain takes effect? Here it is immediate.',
  },
  { question: 'What does a Worker find in request.cf? Here it is empty.' },
]
