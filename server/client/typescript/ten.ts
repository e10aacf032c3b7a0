// Ten calls of a gateway: node ten.js ADDRESS KEY FILE.pdf
//
// It is an example, and a test: it ends with an error if an answer is not what it must be.
// tcode.ts is made from the contract:
//
//	npx openapi-typescript ADDRESS/openapi.json --default-non-nullable=false -o tcode.ts

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./tcode.js";

const [address, key, file] = process.argv.slice(2) as [string, string, string];
const gateway = createClient<paths>({ baseUrl: address, headers: { "x-api-key": key } });
const anyone = createClient<paths>({ baseUrl: address });

// must returns the answer of a call that has to succeed.
function must<T>(r: { data?: T; error?: unknown }): T {
  if (r.data === undefined) throw new Error(JSON.stringify(r.error));
  return r.data;
}

const pdf = await readFile(file);

// 1. Make a template with a field that is signed in the barcode.
const template = must(
  await gateway.POST("/v1/tcode/templates/tdoc", { body: { name: "TypeScript diploma", customFields: [{ key: "holder", required: true, inPayload: true }] } }),
).data;
// 2. Stamp. A repeat under the same key gives the same stamp.
const made = must(
  await gateway.POST("/v1/tcode/stamps", {
    params: { header: { "Idempotency-Key": "typescript-1" } },
    body: {
      name: "Diploma of Ada Lovelace",
      documentTypeCode: "DIP",
      pdf: pdf.toString("base64"),
      tdocTemplateId: template.id,
      fields: [{ key: "holder", value: "Ada Lovelace" }],
    },
  }),
).data;
// 3. List, 4. get.
const page = must(await gateway.GET("/v1/tcode/stamps", { params: { query: { Search: made.reference, PageSize: 5 } } }));
assert.deepEqual(page.items.map((s) => s.id), [made.id]);
const path = { id: made.id };
const same: components["schemas"]["TCodeStamp"] = must(await gateway.GET("/v1/tcode/stamps/{id}", { params: { path } })).data;
assert.deepEqual(same.grade, made.grade);
// 5. Download.
const where = must(await gateway.GET("/v1/tcode/stamps/{id}/download", { params: { path, query: { type: "stamped" } } })).data;
const stamped = Buffer.from(await (await fetch(where.url)).arrayBuffer());
assert.equal(createHash("sha256").update(stamped).digest("hex"), made.stampedSha256);
// 6. Verify: anyone can, without a key.
const verdict = must(await anyone.GET("/v1/tcode/verify/hash/{hash}", { params: { path: { hash: made.stampedSha256 } } })).data;
assert.equal(verdict.verdict, "valid");
// 7. Suspend, 8. revoke.
assert.equal((await gateway.POST("/v1/tcode/stamps/{id}/suspend", { params: { path }, body: { reason: "under review" } })).response.status, 204);
const now = must(await anyone.GET("/v1/tcode/verify/reference/{reference}", { params: { path: { reference: made.reference } } })).data;
assert.equal(now.verdict, "suspended");
assert.equal((await gateway.POST("/v1/tcode/stamps/{id}/revoke", { params: { path } })).response.status, 204);
// 9. Issue a Trust document.
const trust = must(
  await gateway.POST("/v1/trust/templates", { body: { name: "TypeScript certificate", documentTypeCode: "CRT", fields: [{ key: "degree", type: "text" }] } }),
).data;
const issued = must(
  await gateway.POST("/v1/trust/issuances", {
    body: { templateId: trust.id, recipientName: "Grace Hopper", fields: [{ key: "degree", value: "Mathematics" }] },
  }),
).data;
const checked = must(await anyone.POST("/v1/trust/verify/by-reference", { body: { reference: issued.reference } })).data;
assert.equal(checked.verdict, "valid");
// 10. An error says what is wrong with each field.
const bad = await gateway.POST("/v1/tcode/stamps", { body: { name: "", documentTypeCode: "NOPE", pdf: "no PDF" } });
assert.equal(bad.error?.code, "VALIDATION_FAILED");
assert.ok(bad.error.errors["name"] && bad.error.errors["pdf"], JSON.stringify(bad.error.errors));

// Events of webhooks have types, too.
type Revoked = webhooks["stamp.revoked"]["post"]["requestBody"]["content"]["application/json"];
export const referenceOf = (event: Revoked): string => event.data.reference;

console.log(made.reference, issued.reference);
