"""Ten calls of a gateway: python3 ten.py ADDRESS KEY FILE.pdf

It is an example, and a test: it ends with an error if an answer is not what it must be.
"""

from __future__ import annotations

import hashlib
import sys

from tcode_client import Client, GatewayError, text_of


def main(address: str, key: str, file: str) -> None:
    gateway = Client(address, key)
    anyone = Client(address)
    with open(file, "rb") as f:
        pdf = f.read()

    # 1. Make a template with a field that is signed in the barcode.
    template = gateway.create_tdoc_template({"name": "Python diploma", "customFields": [{"key": "holder", "required": True, "inPayload": True}]})["data"]
    # 2. Stamp. A repeat under the same key gives the same stamp.
    made = gateway.create_stamp(
        {
            "name": "Diploma of Ada Lovelace",
            "documentTypeCode": "DIP",
            "pdf": text_of(pdf),
            "tdocTemplateId": template["id"],
            "fields": [{"key": "holder", "value": "Ada Lovelace"}],
        },
        idempotency_key="python-1",
    )["data"]
    # 3. List, 4. get.
    page = gateway.list_stamps(search=made["reference"], page_size=5)
    assert [s["id"] for s in page["items"]] == [made["id"]], page
    assert gateway.get_stamp(made["id"])["data"]["grade"] == made["grade"]
    # 5. Download.
    stamped = gateway.fetch(gateway.download_stamp(made["id"], type="stamped")["data"]["url"])
    assert hashlib.sha256(stamped).hexdigest() == made["stampedSha256"]
    # 6. Verify: anyone can, without a key.
    verdict = anyone.verify_by_hash(made["stampedSha256"])["data"]
    assert verdict["verdict"] == "valid", verdict
    # 7. Suspend, 8. revoke.
    gateway.suspend_stamp(made["id"], {"reason": "under review"})
    assert anyone.verify_by_reference(made["reference"])["data"]["verdict"] == "suspended"
    gateway.revoke_stamp(made["id"])
    # 9. Issue a Trust document.
    trust = gateway.create_trust_template({"name": "Python certificate", "documentTypeCode": "CRT", "fields": [{"key": "degree", "type": "text"}]})["data"]
    document = gateway.issue_document(
        {"templateId": trust["id"], "recipientName": "Grace Hopper", "fields": [{"key": "degree", "value": "Mathematics"}]}
    )["data"]
    assert anyone.verify_document_by_reference({"reference": document["reference"]})["data"]["verdict"] == "valid"
    # 10. An error says what is wrong with each field.
    try:
        gateway.create_stamp({"name": "", "documentTypeCode": "NOPE", "pdf": "no PDF"})
    except GatewayError as e:
        assert (e.status, e.code) == (400, "VALIDATION_FAILED") and {"name", "pdf"} <= set(e.errors), e.errors
    else:
        raise AssertionError("a bad stamp was made")
    print(made["reference"], document["reference"])


if __name__ == "__main__":
    main(*sys.argv[1:])
