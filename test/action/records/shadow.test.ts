import { describe, expect, it } from 'vitest'
import { inputs } from '../../../action/inputs/table.ts'
import { parseRecord } from '../../../action/records/envelope.ts'
import { shadowQuery } from '../../../action/records/list.ts'
import { shownRecord } from './api.ts'

const [id, other] = ['a'.repeat(32), 'b'.repeat(32)]
const token = `cfut_${'t'.repeat(40)}00000000`

describe('shadow metadata', () => {
  it('is asked of Cloudflare and of the sandbox, and of nothing else', () => {
    const asked = '&include_shadow_metadata=true'
    expect(shadowQuery({ baseUrl: inputs['base-url'].default, token })).toBe(asked)
    for (const baseUrl of [
      'http://127.0.0.1:8080',
      'https://api.cloudflare.com.example',
      'https://dns.example',
    ]) {
      expect(shadowQuery({ baseUrl, token })).toBe('')
      expect(shadowQuery({ baseUrl, token: `cfut_sandbox${'t'.repeat(33)}00000000` })).toBe(asked)
    }
  })

  it.each<[meta: unknown, hiddenBy: readonly string[]]>([
    [{ shadowed_by: [id] }, [id]],
    [{ shadowed_by: [id, other], is_glue: false, dead_glue: null }, [id, other]],
    [{ shadowed_by: [id], is_glue: true, dead_glue: true }, [id]],
    [{ shadowed_by: [id], is_glue: true }, []],
    [undefined, []],
    [{ shadowed_by: id }, []],
    [{ shadowed_by: [id, '::error::'] }, []],
  ])('%j hides a record if it says so clearly', (meta, hiddenBy) => {
    expect(parseRecord({ ...shownRecord, meta })).toMatchObject({ hiddenBy })
  })
})
