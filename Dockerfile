# Three images, without a shell and not as root. docs/command.md, docs/compose.md and docs/router-reference.md say how to run them.
#   docker build --target homeport .     keeps DNS records at your public address
#   docker build --target sign-in .      signs employees in
#   docker build --target push .         takes the address that a router reports
# The last stages run no program, so that a machine of one architecture builds for another without emulation. Docker gives a
# copied file the mode that it has in the clone, where only its owner may be able to read it: --chmod lets user 65532 read it.

FROM --platform=$BUILDPLATFORM docker.io/library/node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY tools/ tools/
RUN npm ci --omit=dev
COPY action/ action/
COPY lib/ lib/
COPY push/ push/
COPY src/ src/
RUN npm run build

# The committed bundle, which the action runs, too.
FROM gcr.io/distroless/nodejs24-debian13:nonroot AS homeport
COPY --chmod=755 action/dist/index.js action/dist/package.json action/dist/licenses.txt /opt/homeport/
USER 65532:65532
# The command reads secrets as files of this folder: `api-token`, `heartbeat-url`, `notify-url`.
ENV CREDENTIALS_DIRECTORY=/run/secrets
# It listens nowhere. After each check of the records, the process takes a name that says how it went. With `docker run --init`, it
# is not the first process.
HEALTHCHECK --interval=30s --timeout=15s --start-period=10s CMD ["/nodejs/bin/node", "--eval", "const fs = require('node:fs'); for (const pid of fs.readdirSync('/proc')) try { if (fs.readFileSync(`/proc/${pid}/comm`, 'utf8') === 'homeport failed\\n') process.exitCode = 1 } catch {}"]
ENTRYPOINT ["/nodejs/bin/node", "/opt/homeport/index.js"]
CMD ["--watch", "5m"]

FROM gcr.io/distroless/nodejs24-debian13:nonroot AS sign-in
COPY --from=build --chmod=755 /build/build/server.js /build/build/server.licenses.txt /opt/homeport/
USER 65532:65532
# In a container of its own, loopback would reach nobody.
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
# Asks the handler, where its settings put it. It answers 503 while the employee store cannot be used.
HEALTHCHECK --interval=30s --timeout=15s --start-period=10s CMD ["/nodejs/bin/node", "--eval", "const { PORT, BASE_PATH = '' } = process.env; fetch(`http://127.0.0.1:${PORT}${BASE_PATH}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/opt/homeport/server.js"]

FROM gcr.io/distroless/nodejs24-debian13:nonroot AS push
# It contains no package of others.
COPY --from=build --chmod=755 /build/build/push.js /opt/homeport/
COPY --chmod=755 LICENSE /opt/homeport/
USER 65532:65532
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
# Asks the endpoint whether it serves, which asks no other service.
HEALTHCHECK --interval=30s --timeout=15s --start-period=10s CMD ["/nodejs/bin/node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/opt/homeport/push.js"]
CMD ["serve"]
