/** A plain Worker for dyndns2, as others write it: checks one password, finds the record and writes it at every ping. */

interface Bindings {
  readonly API_TOKEN: string
  readonly BASE_URL: string
  readonly PASSWORD: string
  readonly ZONE_ID: string
}

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const [, given = ''] = atob(request.headers.get('authorization')?.slice('Basic '.length) ?? '').split(':')
    if (given !== env.PASSWORD) return new Response('badauth', { status: 401 })
    const name = searchParams.get('hostname')
    const content = searchParams.get('myip')
    const records = `${env.BASE_URL}/client/v4/zones/${env.ZONE_ID}/dns_records`
    const headers = { authorization: `Bearer ${env.API_TOKEN}`, 'content-type': 'application/json' }
    const found = await fetch(`${records}?name=${name}&type=A`, { headers })
    const { result } = (await found.json()) as { readonly result: readonly { readonly id: string }[] }
    const body = JSON.stringify({ type: 'A', name, content, ttl: 120, proxied: false })
    const written = await fetch(`${records}/${result[0]?.id}`, { method: 'PUT', headers, body })
    return written.ok ? new Response(`good ${content}`) : new Response('911', { status: 500 })
  },
}
