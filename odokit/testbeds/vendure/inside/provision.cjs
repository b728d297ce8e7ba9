// Fill a new shop through its own GraphQL interface, as a client would; data come as JSON on
// standard input: the fixed parts of `seed.yaml`, the clerk, and the generated departments.
"use strict";

const { readFileSync } = require("node:fs");
const { ORIGIN, fail, setting, start } = require("./shop.cjs");

const ENGLISH = "en";
const CLERK_MAY = ["ReadCustomer", "CreateCustomer", "UpdateCustomer", "ReadCustomerGroup",
  "CreateCustomerGroup", "UpdateCustomerGroup", "ReadOrder", "UpdateOrder", "ReadCatalog",
  "ReadCountry", "ReadSettings", "ReadPaymentMethod", "ReadShippingMethod"];

const cents = (amount) => Math.round(amount * 100);
const slug = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
const named = (name, more = {}) => [{ languageCode: ENGLISH, name, ...more }];
const operation = (code, values = {}) => ({
  code,
  arguments: Object.entries(values).map(([name, value]) => ({ name, value: String(value) })),
});

let token = "";

/** Run one operation and give its result; any error ends the provisioning. */
async function ask(query, variables = {}) {
  const response = await fetch(`${ORIGIN}/admin-api`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  token = response.headers.get("vendure-auth-token") ?? token;
  const { data, errors } = await response.json();
  const [result] = Object.values(data ?? { nothing: null });
  if (errors || result?.errorCode) {
    // Not the variables: a password may be among them.
    throw new Error(`${query.trim()} gave ${JSON.stringify(errors ?? result)}`);
  }
  return result;
}

const MAY_REFUSE = new Set(["Customer", "Promotion"]);
const REFUSAL = "... on ErrorResult { errorCode message }";

/** Create something from one input; gives its id. */
async function create(kind, input) {
  const result = MAY_REFUSE.has(kind) ? `... on ${kind} { id } ${REFUSAL}` : "id";
  const query = `create${kind}(input: $input) { ${result} }`;
  return (await ask(`mutation ($input: Create${kind}Input!) { ${query} }`, { input })).id;
}

async function signIn() {
  const variables = { name: setting("ADMIN"), password: setting("ADMIN_PASSWORD") };
  await ask(`mutation ($name: String!, $password: String!) {
    login(username: $name, password: $password) { ... on CurrentUser { id } ${REFUSAL} }
  }`, variables);
}

/** What every department shares: countries, the home market with its tax, delivery, payment. */
async function makeShop({ shop, countries }) {
  const made = new Map(await inTurn(Object.entries(countries), async ([name, code]) => [
    name,
    { code, id: await create("Country", { code, enabled: true, translations: named(name) }) },
  ]));
  const ids = [...made.values()].map((country) => country.id);
  const zoneId = await create("Zone", { name: shop.zone, memberIds: ids });
  const categoryId = await create("TaxCategory", { name: shop.tax_category, isDefault: true });
  const tax = { name: "Sales tax", enabled: true, value: shop.tax_percent, categoryId, zoneId };
  await create("TaxRate", tax);
  const [channel] = (await ask("{ channels { items { id } } }")).items;
  await ask(`mutation ($input: UpdateChannelInput!) {
    updateChannel(input: $input) { ... on Channel { id } ${REFUSAL} }
  }`, { input: { id: channel.id, defaultTaxZoneId: zoneId, defaultShippingZoneId: zoneId } });
  await create("PaymentMethod", {
    code: slug(shop.payment),
    enabled: true,
    handler: operation("dummy-payment-handler", { automaticSettle: true }),
    translations: named(shop.payment, { description: "" }),
  });
  const deliveryId = await makeDelivery({ name: shop.delivery, price: shop.delivery_price });
  const home = made.get(shop.home).code;
  return { countries: made, home, payment: slug(shop.payment), deliveryId, categoryId };
}

function makeDelivery({ name, price }) {
  return create("ShippingMethod", {
    code: slug(name),
    fulfillmentHandler: "manual-fulfillment",
    checker: operation("default-shipping-eligibility-checker", { orderMinimum: 0 }),
    calculator: operation("default-shipping-calculator", {
      rate: cents(price), includesTax: "auto", taxRate: 0,
    }),
    translations: named(name, { description: "" }),
  });
}

async function makeClerk({ clerk }) {
  const input = { code: "clerk", description: "Clerk", permissions: CLERK_MAY };
  const roleId = await create("Role", input);
  await create("Administrator", {
    firstName: clerk.first_name,
    lastName: clerk.last_name,
    emailAddress: clerk.email,
    password: clerk.password,
    roleIds: [roleId],
  });
}

async function makeDepartment(block, shop) {
  await makeCatalogue(block);
  const variants = new Map(await inTurn(block.product, async (product) => [
    product.name,
    await makeProduct(product, shop),
  ]));
  const customers = new Map(await inTurn(block.customer, async (customer) => [
    customer.email,
    await makeCustomer(customer),
  ]));
  await inTurn(block.group, ({ name, members }) =>
    create("CustomerGroup", { name, customerIds: members.map((email) => customers.get(email)) }));
  await makeRules(block, shop);
  const people = new Map(block.customer.map((customer) => [customer.email, customer]));
  await inTurn(block.order, (order) =>
    makeOrder(order, customers, people.get(order.customer[0]), variants, shop));
}

async function makeCatalogue(block) {
  await inTurn(block.facet, ({ name }) => create("Facet", {
    code: slug(name),
    isPrivate: false,
    translations: named(name),
    values: block.facet_value
      .filter((value) => value.facet === name)
      .map((value) => ({ code: value.code, translations: named(value.name) })),
  }));
  await inTurn(block.collection, ({ name, description }) => create("Collection", {
    filters: [],
    translations: named(name, { slug: slug(name), description: `<p>${description}</p>` }),
  }));
}

/** A product without options; gives the id of its only variant. */
async function makeProduct({ name, sku, price, stock, description }, { categoryId }) {
  const about = { slug: slug(name), description: `<p>${description}</p>` };
  const productId = await create("Product", { translations: named(name, about) });
  const input = [{
    productId, sku, price: cents(price), stockOnHand: stock, optionIds: [],
    taxCategoryId: categoryId, translations: named(name),
  }];
  const [variant] = await ask(`mutation ($input: [CreateProductVariantInput!]!) {
    createProductVariants(input: $input) { id }
  }`, { input });
  return variant.id;
}

function makeCustomer({ first_name, last_name, email, phone }) {
  const input = { firstName: first_name, lastName: last_name, emailAddress: email };
  return create("Customer", { ...input, phoneNumber: phone });
}

async function makeRules(block, { countries }) {
  await inTurn(block.promotion, ({ name, coupon, percent }) => create("Promotion", {
    enabled: true,
    couponCode: coupon,
    conditions: [],
    actions: [operation("order_percentage_discount", { discount: percent })],
    translations: named(name, { description: "" }),
  }));
  await inTurn(block.role, ({ code, description }) =>
    create("Role", { code, description, permissions: ["ReadCatalog"] }));
  await inTurn(block.tax_category, ({ name }) => create("TaxCategory", { name }));
  await inTurn(block.zone, ({ name, members }) =>
    create("Zone", { name, memberIds: members.map((country) => countries.get(country).id) }));
  await inTurn(block.shipping_method, makeDelivery);
}

/** A paid order, which waits to be sent. */
async function makeOrder(order, customers, person, variants, { home, deliveryId, payment }) {
  orderCodes.push(order.code);
  const { id } = await ask("mutation { createDraftOrder { id } }");
  const change = (field, args) =>
    ask(`mutation { ${field}(${args}) { ... on Order { id } ${REFUSAL} } }`);
  const place = { streetLine1: person.street, city: person.city, countryCode: home };
  const address = { fullName: person.name, ...place };
  const variantId = variants.get(order.product[0]);
  await change("setCustomerForDraftOrder",
    `orderId: "${id}", customerId: "${customers.get(person.email)}"`);
  await change("addItemToDraftOrder",
    `orderId: "${id}", input: {productVariantId: "${variantId}", quantity: ${order.quantity}}`);
  for (const kind of ["Shipping", "Billing"]) {
    await ask(`mutation ($input: CreateAddressInput!) {
      setDraftOrder${kind}Address(orderId: "${id}", input: $input) { id }
    }`, { input: address });
  }
  await change("setDraftOrderShippingMethod",
    `orderId: "${id}", shippingMethodId: "${deliveryId}"`);
  await change("transitionOrderToState", `id: "${id}", state: "ArrangingPayment"`);
  const paid = `method: "${payment}", transactionId: "${order.code}", metadata: {}`;
  await change("addManualPaymentToOrder", `input: {orderId: "${id}", ${paid}}`);
}

/** Apply to one item after the other; the shop numbers what it is given. */
async function inTurn(items, make) {
  const made = [];
  for (const item of items) made.push(await make(item));
  return made;
}

const orderCodes = [];

async function main() {
  const data = JSON.parse(readFileSync(0, "utf8"));
  const app = await start({ isNew: true, orderCode: () => orderCodes.pop() });
  // Server and client share a thread: on a busy machine the one hangs up on the other's pause.
  app.getHttpServer().keepAliveTimeout = 0;
  await signIn();
  const shop = await makeShop(data);
  await makeClerk(data);
  for (const block of data.blocks) await makeDepartment(block, shop);
  await app.close();
  process.exit(0);
}

main().catch(fail);
