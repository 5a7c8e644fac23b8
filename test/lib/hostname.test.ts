import { describe, expect, it } from 'vitest'
import { canonicalHostname } from '../../lib/hostname.ts'

describe('a hostname', () => {
  it.each([
    ['HOME.Example.COM', 'home.example.com'],
    ['home.example.com.', 'home.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['*.example.com', '*.example.com'],
    ['*.Bücher.example', '*.xn--bcher-kva.example'],
    ['_service.example.com', '_service.example.com'],
    ['1.2.3.example', '1.2.3.example'],
  ])('%s becomes %s', (text, name) => {
    expect(canonicalHostname(text)).toBe(name)
  })

  it.each([
    '',
    'localhost',
    'https://home.example.com',
    'home.example.com:443',
    'home..example.com',
    'home.*.example.com',
    '*.*.example.com',
    'home.example.com..',
    '-home.example.com',
    'home-.example.com',
    'ho%6de.example.com',
    '0x7f.1',
    '1.2.3',
    'home.example.1a',
    'home.example.c',
    'xn--.example',
    `${'a'.repeat(64)}.example.com`,
    `${'abcdefgh.'.repeat(29)}example.com`,
  ])('%j is refused', text => {
    expect(canonicalHostname(text)).toBeNull()
  })
})
