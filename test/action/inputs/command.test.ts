import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandInputs } from '../../../action/inputs/command.ts'
import { inputNames } from '../../../action/inputs/table.ts'
import { nearestName } from '../../../lib/near-names.ts'

type Texts = Readonly<Record<string, string>>
const problemsOf = (env: Texts, args: readonly string[] = []) => commandInputs(args, env).given.problems

describe('a variable of the command', () => {
  it('never stops it if docs/bootstrap.md exports it', () => {
    const page = readFileSync(new URL('../../../docs/bootstrap.md', import.meta.url), 'utf8')
    const names = new Set(page.match(/\bHOMEPORT_[A-Z_]+/g))
    expect([...names]).toEqual(
      expect.arrayContaining(['HOMEPORT_ORIGIN', 'HOMEPORT_DOMAIN', 'HOMEPORT_GRAPH_TOKEN']),
    )
    expect(problemsOf(Object.fromEntries([...names].map(name => [name, 'x'])))).toEqual([])
  })

  it.each([
    // What Kubernetes sets for a service called homeport (kubernetes.io, "Service": environment variables).
    ['HOMEPORT_PORT', 'tcp://10.0.0.11:8080'],
    ['HOMEPORT_PORT_8080_TCP_ADDR', '10.0.0.11'],
    ['HOMEPORT_SERVICE_HOST', '10.0.0.11'],
    ['HOMEPORT_ZONE_SERVICE_PORT', '8080'],
    ['HOMEPORT_APP_TOKEN', 'x'],
    ['HOMEPORT_APITOKEN_OLD', 'x'],
  ])('is left alone if it belongs to something else: %s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([])
  })

  it('is refused if it is nearly one of ours, and ours is missing', () => {
    const misspelt = { HOMEPORT_ZONEID: 'x' }
    const refusal = [
      '"HOMEPORT_ZONEID" is not a variable of Homeport, and HOMEPORT_ZONE_ID is not set. Use HOMEPORT_ZONE_ID, or remove the other.',
    ]
    expect(problemsOf(misspelt)).toEqual(refusal)
    expect(problemsOf({ ...misspelt, HOMEPORT_ZONE_ID: ' ' })).toEqual(refusal)
    expect(problemsOf({ ...misspelt, HOMEPORT_ZONE_ID: 'y' })).toEqual([])
    expect(problemsOf(misspelt, ['--zone-id', 'y'])).toEqual([])
    expect(problemsOf({ HOMEPORT_WATCH_INTERVALL: '5m' }, ['--watch', '5m'])).toEqual([])
    expect(problemsOf({ HOMEPORT_WATCH: '5m' })).toEqual([
      'HOMEPORT_WATCH is not a variable of Homeport. Use the flag --watch.',
    ])
  })
})

it('advises nobody to pass another secret', () => {
  const names = [...inputNames, '--api-token-file']
  for (const name of ['graph_token', 'app-token', 'api-secret', 'heartbeat-key', '--graph-token-file']) {
    expect(nearestName(name, names)).toBeNull()
  }
  expect(nearestName('API_TOKEN', names)).toBe('api-token')
  expect(nearestName('--apitoken-file', names)).toBe('--api-token-file')
})
