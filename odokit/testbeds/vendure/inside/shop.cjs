// The shop: Vendure on one SQLite file, reached on the loopback interface only.
// Its packages lie in the cache folder, not beside this file, so they are required from there.
"use strict";

const path = require("node:path");
const { createRequire } = require("node:module");

const setting = (name) => {
  const value = process.env[`ODOKIT_SHOP_${name}`];
  if (!value) throw new Error(`ODOKIT_SHOP_${name} is not set`);
  return value;
};

const fromShop = createRequire(path.join(setting("MODULES"), "package.json"));
const core = fromShop("@vendure/core");
const { AdminUiPlugin } = fromShop("@vendure/admin-ui-plugin");
const { AssetServerPlugin } = fromShop("@vendure/asset-server-plugin");

const HOST = "127.0.0.1";
const PORT = Number(setting("PORT"));
const ORIGIN = `http://${HOST}:${PORT}`;
// What a live reset puts back must not be hidden by what the server still remembers.
const REMEMBER_MS = 1;
// A reset waits for jobs, and each job waits for the next look.
const POLL_MS = 40;

const config = ({ isNew, orderCode }) => ({
  apiOptions: {
    hostname: HOST,
    port: PORT,
    adminApiPath: "admin-api",
    shopApiPath: "shop-api",
    cors: { origin: [ORIGIN], credentials: true },
  },
  authOptions: {
    tokenMethod: ["cookie", "bearer"],
    superadminCredentials: { identifier: setting("ADMIN"), password: setting("ADMIN_PASSWORD") },
    cookieOptions: { name: "session", secret: setting("COOKIE_SECRET") },
  },
  dbConnectionOptions: {
    type: "better-sqlite3",
    database: setting("DATABASE"),
    synchronize: isNew,
    logging: false,
  },
  entityOptions: {
    channelCacheTtl: REMEMBER_MS,
    zoneCacheTtl: REMEMBER_MS,
    taxRateCacheTtl: REMEMBER_MS,
  },
  logger: new core.DefaultLogger({ level: core.LogLevel.Warn, timestamp: false }),
  orderOptions: orderCode ? { orderCodeStrategy: { generate: orderCode } } : {},
  paymentOptions: { paymentMethodHandlers: [core.dummyPaymentHandler] },
  plugins: [
    AssetServerPlugin.init({
      route: "assets",
      assetUploadDir: setting("ASSETS"),
      assetUrlPrefix: `${ORIGIN}/assets/`,
    }),
    core.DefaultJobQueuePlugin.init({ pollInterval: POLL_MS }),
    core.DefaultSearchPlugin.init({ bufferUpdates: false }),
    AdminUiPlugin.init({
      route: "admin",
      port: PORT,
      adminUiConfig: {
        apiHost: `http://${HOST}`,
        apiPort: PORT,
        tokenMethod: "cookie",
        hideVendureBranding: true,
        hideVersion: true,
        // Without a picture of its own the page would ask one of the makers' servers for it.
        loginImageUrl: `${ORIGIN}/admin/assets/logo-login.webp`,
      },
    }),
  ],
});

/** Start the shop; a new one makes its tables, and may be told what codes its orders get. */
const start = async (options) => {
  const app = await core.bootstrap(config(options));
  await app.get(core.JobQueueService).start();
  return app;
};

const fail = (error) => {
  process.stderr.write(`${error.stack ?? error}${error.cause ? ` (${error.cause})` : ""}\n`);
  process.exit(1);
};

module.exports = { ORIGIN, fail, setting, start };

if (require.main === module) start({ isNew: false }).catch(fail);
