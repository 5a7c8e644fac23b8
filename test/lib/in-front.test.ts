import { expect, it } from 'vitest'
import { isFromFront } from '../../lib/in-front.ts'

it.each<[boolean, number, Record<string, string>, string]>([
  [true, 403, { 'content-type': 'text/html; charset=UTF-8' }, '<h1>Access denied</h1>'],
  [true, 401, {}, '\n<!DOCTYPE html><html></html>'],
  [true, 403, { 'cf-mitigated': 'challenge', 'content-type': 'application/json' }, '{}'],
  [false, 403, { 'content-type': 'application/json' }, '{"success":false}'],
  [false, 403, { 'content-type': 'text/html' }, '{"success":false}'],
  [false, 403, {}, ''],
  [false, 502, { 'content-type': 'text/html' }, '<html></html>'],
])('whether something in front of an API answered: %s for %i %j %j', (expected, status, headers, body) => {
  expect(isFromFront(status, name => headers[name], body)).toBe(expected)
})
