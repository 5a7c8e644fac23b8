import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listen } from '../../support/listen.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createRole, dialects, openDatabase } from '../support/databases.ts'
import { operatorOf, runEmployees } from '../support/operator.ts'

/** What ends a change on the wire: a transaction in PostgreSQL, and one request to D1. */
const ending = { postgres: 'COMMIT', d1: '"batch"' }

/**
 * Starts a network in front of a store, which can lose the next change: `answer` lets it arrive and loses the answer, `delay` lets
 * it arrive when `deliver` is called, after the command has given up.
 */
async function startNetwork(url: URL, end: string) {
  let losing: 'answer' | 'delay' | null = null
  let delayed: { readonly upstream: Socket; readonly message: Buffer } | null = null
  const server = createServer(client => {
    const upstream = connect(Number(url.port), url.hostname)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.on('data', message => {
      if (losing === null || !message.includes(end)) {
        upstream.write(message)
        return
      }
      upstream.unpipe(client)
      if (losing === 'delay') delayed = { upstream, message }
      else upstream.once('data', () => client.destroy()).write(message)
      if (losing === 'delay') client.destroy()
      else upstream.resume()
      losing = null
    })
    upstream.pipe(client)
    client.on('close', () => delayed?.upstream === upstream || upstream.destroy())
  })
  const { port } = new URL(await listen(server))
  return {
    url: Object.assign(new URL(url), { port }).href,
    lose: (what: 'answer' | 'delay') => {
      losing = what
    },
    async deliver() {
      if (delayed === null) throw new Error('No change was delayed.')
      const { upstream, message } = delayed
      delayed = null
      upstream.write(message)
      await once(upstream.resume(), 'data')
      upstream.destroy()
    },
    close: () => server.close(),
  }
}

const account = randomUUID()
const file = join(temporaryFolder(), 'employees.csv')

const add = 'add ada --id 7'
const bind = `bind ada ${account}`

/** Each command that changes something, what it says when it is repeated, and the commands after which it has something to do. */
const commands: readonly (readonly [command: string, said: RegExp, before: readonly string[]])[] = [
  [add, /taken by ada \(7\)/, []],
  [`import ${file}`, /0 added, 0 updated, 2 unchanged/, [add]],
  [bind, /already bound/, [add]],
  ['admin ada on', /already an administrator/, [add]],
  ['end-sessions ada', /Ended every session/, [add]],
  ['unbind ada', /is not bound/, [add, bind]],
  ['deactivate ada', /already inactive/, [add]],
  ['activate ada', /already active/, [add, 'deactivate ada']],
  ['end-sessions --all', /Ended every session/, [add]],
  ['unbind --all', /Unbound 0 employees/, [add, bind]],
]

describe.each(dialects)('the audit in %s', async dialect => {
  const database = await openDatabase(dialect)
  const { operate, query } = operatorOf(database)
  const variable = dialect === 'postgres' ? 'DATABASE_URL' : 'CLOUDFLARE_API_URL'
  const network = await startNetwork(new URL(database.env[variable] ?? ''), ending[dialect])

  afterAll(async () => {
    network.close()
    await database.close()
  })
  beforeAll(async () => {
    await writeFile(file, 'id,user_name\n7,ada\n8,bob\n')
    await operate('migrate')
  })
  beforeEach(async () => {
    for (const table of ['employees', 'homeport_bindings']) await query(`DELETE FROM ${table}`)
  })

  /** Runs commands, each of which must succeed. */
  async function prepare(...before: readonly string[]) {
    for (const command of before) expect((await operate(...command.split(' '))).status).toBe(0)
  }
  /** Runs a command whose change is lost on the way. */
  async function lose(what: 'answer' | 'delay', command: string) {
    network.lose(what)
    return runEmployees({ ...database.env, [variable]: network.url }, ...command.split(' '))
  }
  const state = async () => (await operate('list', '--json')).out
  const audit = async () => JSON.parse((await operate('audit', '--json')).out) as { action: string }[]
  const unknown = {
    status: 1,
    problem: expect.stringMatching(
      /may have been made, or can still arrive for half a minute\. Run `audit` after .* repeat the command\.$/,
    ),
  }

  // That a command can be repeated is the same on both.
  it.each(dialect === 'd1' ? commands : commands.slice(0, 2))(
    'knows a change of `%s` whose answer was lost, and repeats it without harm',
    async (command, said, preparation) => {
      await prepare(...preparation)
      const before = await audit()
      const lost = await lose('answer', command)
      expect(lost).toMatchObject(unknown)
      expect(new Set(lost.logged.map(({ level, outcome }) => `${level} ${outcome}`))).toEqual(
        new Set(['warning unknown']),
      )
      expect(await audit()).toHaveLength(before.length + lost.logged.length)
      const made = await state()
      const { out, problem } = await operate(...command.split(' '))
      expect(out + problem).toMatch(said)
      expect(await state()).toBe(made)
    },
  )

  // PostgreSQL keeps a repeat waiting for the locks of a transaction that has not ended.
  it.each(dialect === 'd1' ? commands : [])(
    'lets a change of `%s` arrive after its repeat without harm',
    async (command, _, preparation) => {
      await prepare(...preparation)
      const before = [await state(), await audit()]
      expect(await lose('delay', command)).toMatchObject(unknown)
      expect([await state(), await audit()]).toEqual(before)
      expect((await operate(...command.split(' '))).status).toBe(0)
      const made = await state()
      await network.deliver()
      expect(await state()).toBe(made)
    },
  )

  if (dialect === 'd1')
    it('removes no later binding with a delayed unbind', async () => {
      await prepare(add, bind)
      expect(await lose('delay', 'unbind ada')).toMatchObject(unknown)
      const later = randomUUID()
      await prepare('unbind ada', `bind ada ${later}`)
      await network.deliver()
      expect(JSON.parse(await state())).toContainEqual(
        expect.objectContaining({ userName: 'ada', boundTo: later }),
      )
    })

  it('changes nothing that it cannot record, and records nothing that the store refused', async () => {
    await prepare(add)
    const before = [await state(), await audit()]
    for (const table of ['homeport_ended_sessions', 'homeport_audit']) {
      await query(`ALTER TABLE ${table} RENAME TO away`)
      const refused = await operate('deactivate', 'ada')
      await query(`ALTER TABLE away RENAME TO ${table}`)
      expect(refused).toMatchObject({ status: 1, problem: expect.stringContaining(table), logged: [] })
      expect(refused.problem).not.toContain('half a minute')
      expect([await state(), await audit()]).toEqual(before)
    }
  })

  if (dialect === 'postgres') {
    it('can be read by a role that cannot write', async () => {
      await prepare(add)
      const { name, url } = await createRole(database)
      const env = { DATABASE_URL: url }
      await query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`)
      expect((await runEmployees(env, 'audit')).out).toMatch(/\tadd\t7\t/)
      await query(`REVOKE SELECT ON homeport_audit FROM ${name}`)
      expect((await runEmployees(env, 'list')).status).toBe(0)
      expect(await runEmployees(env, 'audit')).toMatchObject({
        status: 1,
        problem: expect.stringContaining('homeport_audit'),
      })
    })
  }
})
