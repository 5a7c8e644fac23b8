import sodium from 'libsodium-wrappers'

/**
 * Seals a text for whoever has the private key, as GitHub wants secrets (GitHub REST, Encrypting secrets).
 * @param publicKey base64
 * @returns base64
 */
export async function seal(plain: string, publicKey: string): Promise<string> {
  await sodium.ready
  const key = new Uint8Array(Buffer.from(publicKey, 'base64'))
  return Buffer.from(sodium.crypto_box_seal(Buffer.from(plain), key)).toString('base64')
}
