import { findChromium, NoBrowser } from '../../tools/chromium.ts'

/** Whether there is a browser for tests. If not, prints why. */
export const hasBrowser = await findChromium().then(
  () => true,
  (error: unknown) => {
    if (!(error instanceof NoBrowser)) throw error
    process.stderr.write(`Tests in a browser are skipped. ${error.message}\n`)
    return false
  },
)
/** The reason for the name of a test that is skipped without a browser. */
export const lackingBrowser = hasBrowser ? '' : ' (no browser starts here)'

/**
 * What a page could use and the oldest browsers of docs/sign-in.md lack, Safari 16.0 or Chrome 109 (MDN, browser compatibility).
 * Parts come before the whole.
 */
const newerMembers = `
  URLSearchParams.prototype.size URL.canParse URL.parse AbortSignal.any
  Array.fromAsync Array.prototype.toReversed Array.prototype.toSorted Array.prototype.toSpliced Array.prototype.with
  Uint8Array.fromBase64 Uint8Array.fromHex Uint8Array.prototype.toBase64 Uint8Array.prototype.toHex
  ArrayBuffer.prototype.resize ArrayBuffer.prototype.transfer
  Object.groupBy Map.groupBy Promise.try Promise.withResolvers RegExp.escape Error.isError
  String.prototype.isWellFormed String.prototype.toWellFormed
  Set.prototype.difference Set.prototype.intersection Set.prototype.isDisjointFrom Set.prototype.isSubsetOf
  Set.prototype.isSupersetOf Set.prototype.symmetricDifference Set.prototype.union
  Iterator.from Iterator.prototype.drop Iterator.prototype.every Iterator.prototype.filter Iterator.prototype.find
  Iterator.prototype.flatMap Iterator.prototype.forEach Iterator.prototype.map Iterator.prototype.reduce
  Iterator.prototype.some Iterator.prototype.take Iterator.prototype.toArray Iterator
  Response.json Response.prototype.bytes Request.prototype.bytes Blob.prototype.bytes Headers.prototype.getSetCookie
  ReadableStream.from CompressionStream DecompressionStream
  Element.prototype.checkVisibility Element.prototype.getHTML Element.prototype.setHTMLUnsafe
  Element.prototype.computedStyleMap HTMLElement.prototype.hidePopover HTMLElement.prototype.popover
  HTMLElement.prototype.showPopover HTMLElement.prototype.togglePopover HTMLElement.prototype.attachInternals
  HTMLDialogElement.prototype.requestClose Document.parseHTMLUnsafe Document.prototype.adoptedStyleSheets
  Document.prototype.startViewTransition Navigator.prototype.connection Navigator.prototype.userActivation
  Navigator.prototype.userAgentData Navigator.prototype.wakeLock CSS.registerProperty
  CloseWatcher DisposableStack AsyncDisposableStack Float16Array SuppressedError URLPattern cookieStore navigation
  requestIdleCallback scheduler trustedTypes
`

/** A script that takes these from a page, and keeps in `newerThanOldest` what it could not take. */
export const oldestBrowser = `{
  const left = []
  for (const path of ${JSON.stringify(newerMembers.trim().split(/\s+/))}) {
    const [name, ...owners] = path.split('.').reverse()
    const owner = owners.reduceRight((of, part) => of?.[part], globalThis)
    if (owner) delete owner[name]
    if (owner && name in owner) left.push(path)
  }
  globalThis.newerThanOldest = left.join()
}`
