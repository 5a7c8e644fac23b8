import sodium from 'libsodium-wrappers'

/**
 * Encrypts a text for the holder of the private key (GitHub REST, Encrypting secrets).
 * @param publicKey base64
 * @returns base64
 */
export async function seal(plain: string, publicKey: string): Promise<string> {
  await sodium.ready
  const key = new Uint8Array(Buffer.from(publicKey, 'base64'))
  return Buffer.from(sodium.crypto_box_seal(Buffer.from(plain), key)).toString('base64')
}
