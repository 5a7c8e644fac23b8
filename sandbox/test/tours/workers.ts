import type { Running } from '../running.ts'

const code =
  'export default { fetch(request) { if (request.url.endsWith("/throw")) throw 1; return new Response("") } }'

/** Requests a path from a host of the sandbox. */
async function visit({ at }: Running, host: string, path: string): Promise<void> {
  const { request } = await import('node:http')
  const { hostname, port } = new URL(at.cloudflare.baseUrl)
  await new Promise<void>((resolve, reject) => {
    const sent = request({ host: hostname, port, path, headers: { host } }, response => {
      response.resume().once('end', resolve)
    })
    sent.once('error', reject)
    sent.end()
  })
}

/** Calls every operation on scripts, domains and routes, and provokes their errors. */
export async function tour(sandbox: Running): Promise<void> {
  const { api, at } = sandbox
  const { accountId, adminToken, apiUrl, zoneId } = at.cloudflare
  const workers = `/accounts/${accountId}/workers`
  const send = (path: string, type: string | undefined, body: string | FormData) =>
    fetch(`${apiUrl}${path}`, {
      method: path.endsWith('/settings') ? 'PATCH' : 'PUT',
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      body,
    })
  function upload(name: string, metadata: object) {
    const form = new FormData()
    form.append('metadata', JSON.stringify(metadata))
    form.append('worker.js', new Blob([code], { type: 'application/javascript+module' }), 'worker.js')
    return send(`${workers}/scripts/${name}`, undefined, form)
  }
  const main = { main_module: 'worker.js' }

  await upload('tour', main)
  await upload('tour', {})
  await upload('tour', { ...main, bindings: [{ type: 'queue', name: 'Q' }] })
  await upload('tour', { ...main, bindings: [{ type: 'ratelimit', name: 'R', namespace_id: 'x' }] })
  const sdkForm = `--b\r\nContent-Disposition: form-data; name="metadata[main_module]"\r\n\r\nworker.js\r\n--b--\r\n`
  await send(`${workers}/scripts/tour`, 'application/javascript', sdkForm)
  await send(`${workers}/scripts/old`, 'application/javascript', 'addEventListener("fetch", () => {})')
  await send(`${workers}/scripts/tour`, 'application/json', 'no form')
  await api('GET', `${workers}/scripts`)
  for (const path of ['services/tour', 'services/none']) await api('GET', `${workers}/${path}`)
  for (const part of ['content/v2', 'deployments', 'settings', 'secrets', 'subdomain']) {
    await api('GET', `${workers}/scripts/tour/${part}`).catch(() => undefined)
  }
  const settings = new FormData()
  settings.append('settings', '{"logpush":true}')
  await send(`${workers}/scripts/tour/settings`, undefined, settings)
  const scripted = `${workers}/scripts/tour`
  const form = new FormData()
  form.append('metadata', JSON.stringify(main))
  form.append('worker.js', new Blob([code], { type: 'application/javascript+module' }), 'worker.js')
  for (const [method, part] of [
    ['PUT', 'content'],
    ['POST', 'versions'],
  ] as const) {
    await fetch(`${apiUrl}${scripted}/${part}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}` },
      body: form,
    })
  }
  const versions = [{ version_id: 'none', percentage: 100 }]
  await api('POST', `${scripted}/deployments`, { body: { versions } })
  await api('PATCH', `${scripted}/script-settings`, { body: { tags: [] } })
  const secret = { name: 'S', text: 'value', type: 'secret_text' }
  await api('PUT', `${workers}/scripts/tour/secrets`, { body: secret })
  for (const name of ['S', 'none']) await api('DELETE', `${workers}/scripts/tour/secrets/${name}`)
  await api('POST', `${workers}/scripts/tour/subdomain`, { body: { enabled: true } })
  await api('GET', `${workers}/subdomain`)

  const domains = `${workers}/domains`
  const domain = { hostname: 'tour.example.com', service: 'tour', zone_id: zoneId }
  const { body } = await api<{ id: string }>('PUT', domains, { body: domain })
  await api('PUT', domains, { body: { ...domain, service: 'old' } })
  await api('PUT', domains, { body: { ...domain, hostname: 'home.example.com' } })
  await api('PUT', domains, { body: { ...domain, hostname: 'tour.example.org' } })
  await api('GET', domains)
  for (const id of [body.result.id, '0'.repeat(32)]) await api('GET', `${domains}/${id}`)
  for (const path of ['/', '/throw']) await visit(sandbox, 'tour.example.com', path)
  await api('DELETE', `${domains}/${body.result.id}`)

  const routes = `/zones/${zoneId}/workers/routes`
  const route = { pattern: 'tour.example.com/*', script: 'tour' }
  const { body: made } = await api<{ id: string }>('POST', routes, { body: route })
  for (const pattern of ['tour.example.com/*', '*']) await api('POST', routes, { body: { pattern } })
  await api('GET', routes)
  await api('GET', `${routes}/${made.result.id}`)
  await api('PUT', `${routes}/${made.result.id}`, { body: route })
  await visit(sandbox, 'tour.example.com', '/')
  for (const id of [made.result.id, made.result.id]) await api('DELETE', `${routes}/${id}`)
  for (const name of ['tour', 'old']) await api('DELETE', `${workers}/scripts/${name}`)
}
