import { maxAnswerBytes, parseRetryAfter, type Transport, UpstreamError } from './transport.ts'

/** The way to the provider that every runtime has. */
export const fetchTransport: Transport = async (url, request, timeoutMs) => {
  const signal = AbortSignal.timeout(Math.max(1, timeoutMs))
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal })
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text: await readBounded(response),
      retryAfter: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
    }
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    throw new UpstreamError(signal.aborted ? 'timeout' : 'no-answer', error)
  }
}

async function readBounded(response: Response): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxAnswerBytes) {
      await reader.cancel().catch(() => undefined)
      throw new UpstreamError('too-large')
    }
    text += decoder.decode(value, { stream: true })
  }
}
