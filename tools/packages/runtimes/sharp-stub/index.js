// Replaces sharp, which miniflare needs only for Workers that transform images. It would bring 19 MB of native libraries.
module.exports = () => {
  throw new Error('sharp is not installed, so no Worker can transform images here')
}
