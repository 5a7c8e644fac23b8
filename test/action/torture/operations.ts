import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

/**
 * Loaded before the action, in its process: counts the operations that can fail, and fails the one that TORTURE names,
 * such as `read 3 cut`. Before the process ends, writes the counts to TORTURE_COUNTS.
 */
const [wantedKind = '', wantedNumber = '', how = ''] = (process.env['TORTURE'] ?? '').split(' ')
const countsFile = process.env['TORTURE_COUNTS'] ?? ''
const folder = process.env['RUNNER_TEMP'] ?? ''
const counts: Record<string, number> = {}
let isReached = false

/** Counts an operation. Returns how it must fail, or null. */
function failing(kind: string): string | null {
  counts[kind] = (counts[kind] ?? 0) + 1
  if (kind !== wantedKind || counts[kind] !== Number(wantedNumber)) return null
  isReached = true
  return how
}

function systemError(code: string): Error {
  return Object.assign(new Error(`tortured: ${code}`), { code })
}

/** Returns bytes that no protocol starts with. Keeps the head of an HTTP message, so that only its body is wrong. */
function garbled(chunk: Buffer): Buffer {
  const head = chunk.indexOf('\r\n\r\n')
  const from = head < 0 || head + 4 >= chunk.length ? 0 : head + 4
  return Buffer.concat([chunk.subarray(0, from), Buffer.alloc(chunk.length - from, 0xfe)])
}

const stalled = new WeakSet<object>()
const isPrinter = (socket: unknown) => socket === process.stdout || socket === process.stderr

const { connect, push, write } = net.Socket.prototype
net.Socket.prototype.connect = function (this: net.Socket, ...args: never[]) {
  const fault = failing('connect')
  if (fault === 'error') {
    process.nextTick(() => this.destroy(systemError('ECONNREFUSED')))
    return this
  }
  if (fault === 'stall') return this
  if (fault === 'cut') this.once('connect', () => this.destroy(systemError('ECONNRESET')))
  if (fault === 'garbage') this.once('connect', () => this.emit('data', Buffer.alloc(40, 0xfe)))
  return Reflect.apply(connect, this, args)
} as typeof connect

net.Socket.prototype.push = function (this: net.Socket, chunk: Buffer | null, ...rest: never[]) {
  if (chunk === null || isPrinter(this)) return Reflect.apply(push, this, [chunk, ...rest])
  if (stalled.has(this)) return true
  switch (failing('read')) {
    case 'error':
      this.destroy(systemError('ECONNRESET'))
      return false
    case 'stall':
      stalled.add(this)
      return true
    case 'cut':
      Reflect.apply(push, this, [chunk.subarray(0, chunk.length / 2)])
      return Reflect.apply(push, this, [null])
    case 'garbage':
      return Reflect.apply(push, this, [garbled(chunk)])
    default:
      return Reflect.apply(push, this, [chunk, ...rest])
  }
}

net.Socket.prototype.write = function (this: net.Socket, chunk: string | Buffer, ...rest: never[]) {
  const fault = failing(isPrinter(this) ? 'print' : 'write')
  const bytes = Buffer.from(chunk as string, typeof rest[0] === 'string' ? rest[0] : 'utf8')
  switch (fault) {
    case 'error':
      this.destroy(systemError('EPIPE'))
      return false
    case 'stall':
      return false
    case 'cut':
      Reflect.apply(write, this, [bytes.subarray(0, bytes.length / 2)])
      this.destroySoon()
      return false
    case 'garbage':
      return Reflect.apply(write, this, [garbled(bytes)])
    default:
      return Reflect.apply(write, this, [chunk, ...rest])
  }
} as typeof write

const { appendFileSync, existsSync, writeFileSync } = fs
const isOurs = (path: unknown) => String(path).startsWith(folder) && String(path) !== countsFile
fs.appendFileSync = (path, data, ...rest) => {
  const fault = isOurs(path) ? failing('file') : null
  if (fault === 'cut' || fault === 'garbage') {
    const text = String(data)
    appendFileSync(path, fault === 'cut' ? text.slice(0, text.length / 2) : '\u0000\ufffe\n', ...rest)
  }
  if (fault !== null) throw systemError(fault === 'cut' ? 'ENOSPC' : 'EIO')
  appendFileSync(path, data, ...rest)
}
fs.existsSync = path => (isOurs(path) && failing('file') !== null ? false : existsSync(path))
syncBuiltinESMExports()

process.on('exit', () => {
  const took = { endedMs: performance.now(), isReached }
  if (countsFile !== '') writeFileSync(countsFile, JSON.stringify({ counts, ...took }))
})
