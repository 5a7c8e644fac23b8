import { get } from 'node:https'
import type { Running } from '../running.ts'

/** Calls the HTTPS port and the resolvers. */
export async function tour({ at }: Running): Promise<void> {
  const { host, port } = at.https
  await new Promise<void>((resolve, reject) => {
    get({ host, port, ca: at.ca, servername: 'api.cloudflare.com', path: '/' }, response => {
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
  const [resolver = ''] = at.doh
  await fetch(`${resolver}?name=home.example.com`)
  await fetch(`${resolver}?dns=AAABAAABAAAAAAAABGhvbWUHZXhhbXBsZQNjb20AAAEAAQ`)
  await fetch(resolver, { method: 'PUT' })
}
