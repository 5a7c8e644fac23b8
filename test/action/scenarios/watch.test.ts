import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { runCommand, startCommand } from '../../support/command.ts'
import { listen } from '../../support/listen.ts'
import { after, before, list, onList, scenario } from '../../support/stage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const unavailable = { kind: 'errors', status: 503, errors: [{ code: 1, message: 'down' }] } as const

describe('watching', () => {
  scenario('goes on after a failed round, and tells of each change once', async ({ stage }) => {
    stage.setRecords({ content: before })
    stage.setFaults({ match: onList, answer: unavailable, times: 3, skip: 2 })
    const messages: string[] = []
    const messenger = createServer(async (request, response) => {
      for await (const chunk of request.setEncoding('utf8')) messages.push(chunk)
      response.writeHead(404).end()
    })
    const url = `${await listen(messenger)}/6f1d2c9a`
    const variables = { ...stage.variables, HOMEPORT_NOTIFY_URL: url }
    const command = startCommand(['--json', '--watch=1s'], variables)
    await command.printed(/"result":"failed"[\s\S]*"result":"unchanged"/)
    command.process.kill('SIGTERM')
    const { status, stdout, stderr } = await command.ended
    messenger.close()
    expect(status).toBe(0)
    expect(stdout).toMatch(/^\{"time":"[^"]*","result":"updated","changed":true/)
    expect(stderr).toMatch(/\d rounds, 1 failed, \d+ requests\./)
    expect(stderr).toMatch(/failed \(service-unavailable\)/)
    expect(stage.records()).toMatchObject([{ content: after }])
    expect(messages).toEqual([`home.example.com (A): changed from ${before} to ${after}`])
    expect(stderr.match(/warning: notify-url: .* it returned 404\./g)).toHaveLength(1)
    expect(stderr).not.toContain('6f1d2c9a')
  })

  scenario('reads a token that was rejected from its file again, and shows neither', async ({ stage }) => {
    stage.setRecords({ content: before })
    const folder = temporaryFolder()
    const file = join(folder, 'api-token')
    const { HOMEPORT_API_TOKEN: right = '', ...variables } = stage.variables
    const old = `cfut_${'9'.repeat(48)}`
    const write = (text: string) => writeFileSync(file, text, { mode: 0o600 })
    write(old)
    const command = startCommand(['--watch=1s'], { ...variables, CREDENTIALS_DIRECTORY: folder })
    await command.printed(/failed \(token-rejected\)/)
    write('')
    await command.printed(/warning: The token file .* is empty\. .* stays in use/)
    write('"quoted"')
    await command.printed(/warning: api-token is in quotes\. .* stays in use/)
    write(right)
    await command.printed(/-> 203\.0\.113\.10, updated/)
    command.process.kill('SIGTERM')
    const { status, stdout, stderr } = await command.ended
    expect(status).toBe(0)
    for (const token of [old, right]) expect(stdout + stderr).not.toContain(token)
  })

  scenario('says each check that changes nothing in a line, and looks up a zone once', async ({ stage }) => {
    stage.setRecords({ content: after })
    const token = stage.description.cloudflare.adminToken
    const variables = { ...stage.variables, HOMEPORT_ZONE_ID: '', HOMEPORT_API_TOKEN: token }
    const command = startCommand(['--watch=1s'], variables)
    await command.printed(/(Next check[\s\S]*){2}/)
    command.process.kill('SIGTERM')
    const { stdout } = await command.ended
    const others = stage.dnsRequests().filter(request => request !== list)
    expect(others).toEqual(
      ['home.example.com', 'example.com'].map(name => `GET /client/v4/zones?name=${name}`),
    )
    const [first, watching, ...lines] = stdout.split('\n').map(line => line.replace(/^\S+Z /, ''))
    expect(first).toMatch(/^Checking home\.example\.com/)
    expect(watching).toBe('Watching every 1 s until stopped.')
    for (const [index, requests] of [6, 4].entries())
      expect(lines[index]).toMatch(
        new RegExp(
          `^home\\.example\\.com A: \\S+, already correct, nothing written\\. ${requests} requests in \\S+ s\\. ` +
            'Next check at \\d\\d:\\d\\d:\\d\\dZ\\.$',
        ),
      )
  })

  scenario('prints changes and failures only with --quiet, once and in a watch', async ({ stage }) => {
    stage.setRecords({ content: after, ttl: 300 })
    expect(await runCommand(['--quiet'], stage.variables)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '',
    })
    stage.setRecords({ content: before })
    stage.setFaults({ match: onList, answer: unavailable, times: 3, skip: 1 })
    const command = startCommand(['--quiet', '--watch=1s'], stage.variables)
    await command.printed(/error: /)
    command.process.kill('SIGTERM')
    const { stdout } = await command.ended
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(line => line.replace(/^\S+Z /, ''))
    expect(lines).toEqual([
      `home.example.com A: ${before} -> ${after}, updated`,
      expect.stringMatching(/^home\.example\.com A: failed \(service-unavailable\)/),
      expect.stringMatching(/^error: Failed to list/),
    ])
  })

  scenario(
    'ends after the request in flight on SIGTERM, and confirms nothing it did not see',
    async ({ stage }) => {
      stage.setRecords({ content: before })
      const sent: string[] = []
      // The write ends only after the signal was sent, however slow this machine is.
      const held = createServer(
        async ({ method = '', url = '', headers: { authorization = '' }, socket }, response) => {
          sent.push(method)
          if (method === 'PUT') {
            command.process.kill('SIGTERM')
            setTimeout(() => socket.destroy(), 2000)
            return
          }
          const list = await fetch(stage.description.cloudflare.baseUrl + url, { headers: { authorization } })
          response.end(await list.text())
        },
      )
      const flags = ['--json', '--watch=1h', '--base-url', await listen(held)]
      const command = startCommand(flags, stage.variables)
      const { status, stdout } = await command.ended
      held.close()
      expect(status).toBe(1)
      expect(JSON.parse(stdout)).toMatchObject({ result: 'failed', reason: 'write-unconfirmed' })
      expect(sent).toEqual(['GET', 'PUT'])
    },
  )
})
