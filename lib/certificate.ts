/** Codes of a certificate that is not trusted, as Node names them (nodejs.org/api/tls.html, "X509 certificate error codes"). */
const untrusted =
  /^(CERT_(?!HAS_EXPIRED$|NOT_YET_VALID$)\w+|UNABLE_TO_\w+|(DEPTH_ZERO_)?SELF_SIGNED_CERT\w*|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/
const wrongName = ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH']

/**
 * Explains an error whose code says that this machine does not trust a server's certificate: another attempt would end
 * alike. Returns null for any other code. `fix` is a sentence or two, without the last full stop.
 */
export function explainCertificate(
  code: string,
  now = new Date(),
): { readonly detail: string; readonly fix: string } | null {
  if (code === 'CERT_NOT_YET_VALID' || code === 'CERT_HAS_EXPIRED') {
    const is = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'
    return {
      detail: `its certificate ${is} by the clock of this machine (${code})`,
      fix:
        `The clock says ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC. If that is wrong, set it, and keep it in ` +
        'sync with NTP. If it is right, the server needs a new certificate',
    }
  }
  if (wrongName.includes(code)) {
    return {
      detail: `its certificate is for another name (${code})`,
      fix: 'Check the URL, and look for a captive portal or a proxy that answers instead',
    }
  }
  if (!untrusted.test(code)) return null
  const isAlone = code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
  const alone = isAlone ? 'came without an intermediate one, or ' : ''
  return {
    detail: `its certificate ${alone}is from an authority that Node.js does not trust (${code})`,
    fix:
      (isAlone ? 'If the server is yours, give it the whole chain, such as fullchain.pem. ' : '') +
      'If a company or an antivirus program inspects TLS, set the environment variable NODE_EXTRA_CA_CERTS to the file of its ' +
      'authority (PEM), or NODE_USE_SYSTEM_CA to 1 if the system trusts it',
  }
}
