import { maxResponseBytes, type ProviderRequest, type ProviderResponse, TransportError } from './transport.ts'

/** Sends requests with fetch, which every runtime has. */
export async function fetchTransport(
  url: string,
  request: ProviderRequest,
  timeoutMs: number,
): Promise<ProviderResponse> {
  const signal = AbortSignal.timeout(Math.max(1, timeoutMs))
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal })
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text: await readBody(response),
      retryAfter: response.headers.get('retry-after'),
    }
  } catch (error) {
    if (error instanceof TransportError) throw error
    throw new TransportError(signal.aborted ? 'timeout' : 'no-answer', error)
  }
}

async function readBody(response: Response): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxResponseBytes) {
      await reader.cancel().catch(() => undefined)
      throw new TransportError('too-large')
    }
    text += decoder.decode(value, { stream: true })
  }
}
