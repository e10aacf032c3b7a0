"""Client of the HTTP interface of a TCode gateway.

Generated from openapi.yaml. It needs Python 3.11 and the standard library alone:

    from tcode_client import Client, GatewayError

    gateway = Client("https://gateway.example", key)
    try:
        made = gateway.create_stamp({"name": "Diploma", "documentTypeCode": "DIP", "pdf": text_of(file)})
    except GatewayError as e:
        print(e.code, e.errors)
    pdf = gateway.fetch(gateway.download_stamp(made["data"]["id"])["data"]["url"])

Bodies are dictionaries with the members of the contract; a type checker knows them.
A method raises GatewayError where the gateway answers with an error.
"""

from __future__ import annotations

import base64
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Literal, Mapping, NotRequired, TypeAlias, TypedDict, cast


class GatewayError(Exception):
    """An answer that is an error, as the schema Error of the contract has it."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(body.get("code", ""))  # for programs
        self.message = str(body.get("message", ""))  # for people
        self.trace_id = str(body.get("traceId", ""))  # names the request in the gateway's log
        self.reason: str | None = body.get("reason")
        self.reference: str | None = body.get("reference")  # the record that a DUPLICATE collides with
        self.errors: dict[str, list[str]] = body.get("errors") or {}  # by the path of the field
        super().__init__(f"{status} {self.code}: {self.message}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None  # the key is for this gateway alone


def text_of(file: bytes) -> str:
    """A file as it stands in a body: Base64."""
    return base64.b64encode(file).decode()


class _Calls:
    """Sends requests to one gateway. It is safe for use by several threads."""

    def __init__(self, address: str, key: str | None = None, timeout: float = 180) -> None:
        self._address = address.rstrip("/").removesuffix("/v1")
        self._key = key
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect())

    def fetch(self, url: str) -> bytes:
        """The content behind a download address. The key is not sent."""
        return self._open(urllib.request.Request(url))

    def _open(self, request: urllib.request.Request) -> bytes:
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return cast(http.client.HTTPResponse, answer).read()
        except urllib.error.HTTPError as e:
            try:
                body = json.loads(e.read())
            except ValueError:
                body = {}
            raise GatewayError(e.code, body if isinstance(body, dict) else {}) from None

    def _call(self, method: str, path: str, accept: str, query: Mapping[str, Any], headers: Mapping[str, str | None], body: Any = None) -> bytes:
        asked = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in query.items() if v is not None}
        url = self._address + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        sent = {k: v for k, v in headers.items() if v is not None} | {"Accept": accept}
        if self._key is not None:
            sent["x-api-key"] = self._key
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        return self._open(urllib.request.Request(url, data, sent, method=method))


def _at(value: object) -> str:
    return urllib.parse.quote(str(value), safe="")


class ApiKey(TypedDict):
    """An API key, without its text."""
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None
    lastUsedFrom: str | None
    name: str
    prefix: str
    revokedAt: str | None
    scopes: list[Scope]
    state: Literal['active', 'expired', 'revoked']
    test: bool
    usedToday: int


class ApiKeyEnvelope(TypedDict):
    data: ApiKey
    leftBehind: list[LeftBehind]


class ApiKeyPage(TypedDict):
    hasNext: bool
    items: list[ApiKey]
    page: int
    pageSize: int
    totalCount: int
    totalIsLowerBound: bool
    totalPages: int


class ApiKeyRequest(TypedDict):
    expiresAt: NotRequired[str]
    name: str
    scopes: NotRequired[list[Scope]]
    test: NotRequired[bool]


class ApiKeyRotateRequest(TypedDict):
    expiresAt: NotRequired[str]
    overlapHours: NotRequired[int]


AuditAction: TypeAlias = "Literal['stamp.create', 'stamp.suspend', 'stamp.reactivate', 'stamp.revoke', 'stamp.revoke_lost', 'stamp.replace', 'stamp.erase', 'document.issue', 'document.suspend', 'document.reinstate', 'document.revoke', 'document.expire', 'document.replace', 'document.mail', 'document.erase', 'placement.create', 'placement.duplicate', 'placement.update', 'placement.delete', 'tdoc.create', 'tdoc.update', 'tdoc.archive', 'tdoc.unarchive', 'tdoc.delete', 'trust_template.create', 'trust_template.duplicate', 'trust_template.update', 'trust_template.placement', 'trust_template.archive', 'trust_template.unarchive', 'trust_template.delete', 'bulk.create', 'bulk.cancel', 'bulk.retry', 'batch.begin', 'batch.stop', 'mail.resend', 'mail.cancel', 'webhook.create', 'webhook.change', 'webhook.enable', 'webhook.disable', 'webhook.remove', 'webhook.rotate_secret', 'webhook.redeliver', 'key.create', 'key.rotate', 'key.revoke', 'signing_key.rotate', 'signing_key.open', 'signing_key.retire', 'signing_key.compromise', 'device.name', 'device.refuse', 'device.accept', 'user.create', 'user.role', 'user.disable', 'user.reset', 'user.remove', 'user.password', 'user.factor', 'user.passkey', 'user.linked', 'user.provider', 'session.begin', 'session.end', 'tenant.create', 'tenant.plan', 'tenant.suspend', 'tenant.activate', 'tenant.language', 'tenant.brand', 'tenant.export', 'retention.set', 'work.set_aside', 'work.retry', 'work.cancel']"


class AuditEntry(TypedDict):
    action: AuditAction
    actor: Literal['key', 'operator', 'user', 'system']
    at: str
    by: str | None
    details: dict[str, str]
    id: str
    subject: str
    traceId: str | None


class AuditPage(TypedDict):
    hasNext: bool
    items: list[AuditEntry]
    page: int
    pageSize: int
    totalCount: int
    totalIsLowerBound: bool
    totalPages: int


class BulkCell(TypedDict):
    column: str
    value: str


class BulkCounts(TypedDict):
    """How many rows are where."""
    failed: int
    pending: int
    processed: int
    skipped: int
    succeeded: int
    total: int


class BulkFile(TypedDict):
    """A file as it was sent."""
    sha256: str
    sizeBytes: int


class BulkJob(TypedDict):
    """A bulk job."""
    counts: BulkCounts
    createdAt: str
    createdBy: str
    dryRun: bool
    finishedAt: str | None
    id: str
    message: str | None
    product: Literal['tcode', 'trust']
    scheduledFor: str | None
    settings: BulkSettings
    startedAt: str | None
    status: BulkJobStatus
    test: bool
    updatedAt: str


class BulkJobDetail(TypedDict):
    """A bulk job, with what was found in its files."""
    columns: list[str]
    counts: BulkCounts
    createdAt: str
    createdBy: str
    csv: BulkFile
    dryRun: bool
    finishedAt: str | None
    id: str
    message: str | None
    moreProblems: int
    problems: list[BulkProblem]
    product: Literal['tcode', 'trust']
    scheduledFor: str | None
    settings: BulkSettings
    startedAt: str | None
    status: BulkJobStatus
    test: bool
    unmatched: BulkUnmatched
    updatedAt: str
    zip: BulkFile


class BulkJobDetailEnvelope(TypedDict):
    data: BulkJobDetail


class BulkJobEnvelope(TypedDict):
    data: BulkJob


class BulkJobPage(TypedDict):
    hasNext: HasNext
    items: list[BulkJob]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


BulkJobStatus: TypeAlias = "Literal['Scheduled', 'Pending', 'Validating', 'Processing', 'Completed', 'CompletedWithErrors', 'Failed', 'Cancelling', 'Cancelled']"


class BulkProblem(TypedDict):
    column: str | None
    line: int
    message: str


class BulkProgress(TypedDict):
    """How far a bulk job is."""
    etaSeconds: int | None
    failed: int
    finishedAt: str | None
    percent: float
    processed: int
    skipped: int
    startedAt: str | None
    status: BulkJobStatus
    succeeded: int
    total: int


class BulkProgressEnvelope(TypedDict):
    data: BulkProgress


class BulkRow(TypedDict):
    cells: list[BulkCell]
    code: str | None
    fileName: str | None
    id: str | None
    line: int
    message: str | None
    number: int
    reference: str | None
    state: BulkRowState
    updatedAt: str
    warnings: list[str]


class BulkRowPage(TypedDict):
    hasNext: HasNext
    items: list[BulkRow]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


BulkRowState: TypeAlias = "Literal['Pending', 'Succeeded', 'Failed', 'Skipped']"


class BulkSettings(TypedDict):
    """What holds for all rows."""
    issuancePath: Literal['digital', 'tcode', 'both'] | None
    placementTemplateId: str | None
    tdocTemplateId: str | None
    templateId: str | None
    validUntil: str | None
    validityType: Literal['None', 'Until', 'Duration'] | None
    validityUnit: Literal['days', 'months', 'years'] | None
    validityValue: int | None


class BulkUnmatched(TypedDict):
    """The file names that the rows and the archive do not have in common, to be compared. Empty lists once the uploaded files were deleted."""
    files: list[BulkUnmatchedFile]
    moreFiles: int
    moreRows: int
    rows: list[BulkUnmatchedRow]


class BulkUnmatchedFile(TypedDict):
    fileName: str
    nearest: str | None


class BulkUnmatchedRow(TypedDict):
    fileName: str
    line: int
    nearest: str | None


class Device(TypedDict):
    """A device that scanned stamps of the tenant."""
    clockEvents: int
    clockSkewMs: int | None
    findings: int
    firstScanAt: str
    flag: Literal['seq_reused', 'seq_went_back'] | None
    flaggedAt: str | None
    freshness: Literal['fresh', 'stale', 'too_old', 'unknown']
    lastBatchAt: str
    lastScanAt: str
    lastSyncAt: str
    name: str | None
    refused: bool
    refusedAt: str | None
    refusedByOperator: bool
    refusedReason: str | None
    scannerId: str
    scans: int
    trustAt: str | None
    trustVersion: int | None


class DeviceClockEvent(TypedDict):
    at: str
    kind: Literal['clock_was_ahead', 'clock_confirmed']
    receivedAt: str
    was: str | None


class DeviceDetail(TypedDict):
    """A device, with the corrections of its clock."""
    clock: list[DeviceClockEvent]
    clockEvents: int
    clockSkewMs: int | None
    findings: int
    firstScanAt: str
    flag: Literal['seq_reused', 'seq_went_back'] | None
    flaggedAt: str | None
    freshness: Literal['fresh', 'stale', 'too_old', 'unknown']
    lastBatchAt: str
    lastScanAt: str
    lastSyncAt: str
    name: str | None
    refused: bool
    refusedAt: str | None
    refusedByOperator: bool
    refusedReason: str | None
    scannerId: str
    scans: int
    trustAt: str | None
    trustVersion: int | None


class DeviceDetailEnvelope(TypedDict):
    data: DeviceDetail


class DeviceEnvelope(TypedDict):
    data: Device


class DevicePage(TypedDict):
    hasNext: bool
    items: list[Device]
    page: int
    pageSize: int
    totalCount: int
    totalIsLowerBound: bool
    totalPages: int


class DevicePatch(TypedDict):
    name: str


class DeviceRefusal(TypedDict):
    reason: str


class DocumentTypeInfo(TypedDict):
    code: str
    names: LocalizedNames


class DocumentTypeInfoList(TypedDict):
    items: list[DocumentTypeInfo]


class DuplicateRequest(TypedDict):
    name: NotRequired[str]


class EraseRequest(TypedDict):
    reason: NotRequired[Literal['asked', 'unneeded', 'withdrawn', 'mistaken', 'obliged']]


class Error(TypedDict):
    code: str
    errors: dict[str, list[str]]
    message: str
    reason: Literal['quota_exceeded', 'not_entitled', 'tenant_suspended', 'test_key', 'missing_scope', 'device_refused'] | None
    reference: str | None
    status: int
    traceId: str


class Field(TypedDict):
    key: str
    value: str


class FieldValue(TypedDict):
    key: str
    value: str


HasNext: TypeAlias = "bool"


class Health(TypedDict):
    status: Literal['ok']


class LeftBehind(TypedDict):
    """Something that a key began or made."""
    endsWithKey: bool
    id: str
    kind: Literal['bulk-job', 'order', 'key', 'webhook', 'user']
    name: str | None


LocalizedNames: TypeAlias = "dict[str, str]"


class NewApiKey(TypedDict):
    """A new API key, with its text."""
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None
    lastUsedFrom: str | None
    name: str
    prefix: str
    revokedAt: str | None
    scopes: list[Scope]
    secret: str | None
    state: Literal['active', 'expired', 'revoked']
    test: bool
    usedToday: int


class NewApiKeyEnvelope(TypedDict):
    data: NewApiKey


class NewWebhook(TypedDict):
    """A new endpoint, with its secret."""
    createdAt: str
    events: list[str]
    failingSince: str | None
    failures: int
    id: str
    lastDay: WebhookCounts
    oldSecretUntil: str | None
    reason: str | None
    secret: str | None
    state: Literal['enabled', 'disabled']
    updatedAt: str
    url: str


class NewWebhookEnvelope(TypedDict):
    data: NewWebhook


PageLength: TypeAlias = "int"


PageNumber: TypeAlias = "int"


class PublicKey(TypedDict):
    """A JSON Web Key (RFC 7517; Ed25519 as in RFC 8037) with whose it is and when it may be used."""
    alg: Literal['EdDSA', 'ES256']
    crv: Literal['Ed25519', 'P-256']
    keyId: str
    kid: str
    kty: Literal['OKP', 'EC']
    otherKeys: list[PublicKey]
    publicKeyPem: str
    rootFingerprint: str | None
    status: Literal['signing', 'verifying']
    tenantReference: str | None
    use: Literal['sig']
    validFrom: str | None
    validUntil: str | None
    verifierKey: str | None
    x: str
    y: str | None


class PublicKeyEnvelope(TypedDict):
    data: PublicKey


class PublicKeyList(TypedDict):
    items: list[PublicKey]


class Retention(TypedDict):
    """How long each kind of data is kept."""
    kinds: list[RetentionKind]


class RetentionEnvelope(TypedDict):
    data: Retention


class RetentionKind(TypedDict):
    days: int | None
    defaultDays: int | None
    description: str
    fixed: bool
    kind: str
    leastDays: int
    mostDays: int


class RetentionRequest(TypedDict):
    kinds: list[RetentionTime]


class RetentionTime(TypedDict):
    """A kind of data whose time differs from the default."""
    days: NotRequired[int | None]
    kind: str


Scope: TypeAlias = "Literal['stamp', 'verify-history', 'manage']"


class SigningKey(TypedDict):
    algorithm: str
    compromisedSince: str | None
    createdAt: str
    keyId: str
    sequence: int
    state: Literal['announced', 'signing', 'verifying', 'compromised']
    validFrom: str
    validUntil: str | None


class SigningKeyList(TypedDict):
    items: list[SigningKey]


class TCodeBarcode(TypedDict):
    """The symbol as it was drawn."""
    boxMm: float
    moduleMm: float
    modules: int
    sizeMm: float


class TCodeBatchScanSyncRequest(TypedDict):
    """A batch (`batchId`, `scannerId`, `sentAt` and `items` are needed), or one scan alone (`payload` and `context.scannerId` are)."""
    batchId: NotRequired[str]
    clockEvents: NotRequired[list[TCodeClockEvent]]
    context: NotRequired[TCodeScanContext]
    items: NotRequired[list[TCodeScanItem]]
    payload: NotRequired[str]
    scannerId: NotRequired[str]
    sentAt: NotRequired[str]


class TCodeBatchSync(TypedDict):
    """What became of each scan of a batch."""
    batchId: str
    receipt: str | None
    receivedAt: str
    results: list[TCodeScanResult]


class TCodeBatchSyncEnvelope(TypedDict):
    data: TCodeBatchSync


class TCodeBulkJobRequest(TypedDict):
    csvFileBase64: str
    dryRun: NotRequired[bool]
    modeType: NotRequired[Literal['standard', 'test'] | None]
    placementTemplateId: NotRequired[str | None]
    tdocTemplateId: NotRequired[str | None]
    zipFileBase64: str


class TCodeCaption(TypedDict):
    """The text beside the barcode. Null: none."""
    enabled: bool
    fontSizePt: float
    position: Literal['above', 'below', 'left', 'right']
    showReference: bool
    text: str | None


class TCodeCaptionRequest(TypedDict):
    """Text beside the barcode, and turned with it."""
    enabled: NotRequired[bool]
    fontSizePt: NotRequired[float]
    position: NotRequired[Literal['above', 'below', 'left', 'right']]
    showReference: NotRequired[bool]
    text: NotRequired[str | None]


class TCodeClockEvent(TypedDict):
    afterSeq: NotRequired[int]
    at: str
    eventId: str
    kind: Literal['clock_was_ahead', 'clock_confirmed']
    scans: NotRequired[int]
    trustVersion: NotRequired[int]
    was: NotRequired[str]


class TCodeCreateStampRequest(TypedDict):
    documentTypeCode: str
    externalId: NotRequired[str]
    fields: NotRequired[list[FieldValue]]
    modeType: NotRequired[Literal['standard', 'test'] | None]
    name: str
    pdf: str
    placementTemplateId: NotRequired[str]
    tdocTemplateId: NotRequired[str]


class TCodeCsvField(TypedDict):
    column: str
    example: str
    maxLength: int | None
    required: bool
    type: TCodeFieldType


class TCodeCsvFieldsEnvelope(TypedDict):
    data: list[TCodeCsvField]


class TCodeDigitalTwin(TypedDict):
    """A stamp, its verification and its document, for everybody."""
    document: TCodeTwinDocument | None
    reference: str | None
    stamp: TCodeTwinStamp | None
    url: str | None
    verification: TCodeTwinVerification


class TCodeDigitalTwinEnvelope(TypedDict):
    data: TCodeDigitalTwin


class TCodeDownload(TypedDict):
    """An address of a file."""
    contentType: str
    expiresAt: str
    fileName: str
    sha256: str
    sizeBytes: int
    url: str


class TCodeDownloadEnvelope(TypedDict):
    data: TCodeDownload


class TCodeDuplicateCheck(TypedDict):
    """Whether such a stamp stands."""
    duplicate: bool
    matches: list[TCodeDuplicateMatch]


class TCodeDuplicateCheckEnvelope(TypedDict):
    data: TCodeDuplicateCheck


class TCodeDuplicateCheckRequest(TypedDict):
    """At least one of `externalId`, `sha256` and `fields`."""
    externalId: NotRequired[str]
    fields: NotRequired[list[FieldValue]]
    sha256: NotRequired[str]
    tdocTemplateId: NotRequired[str]


class TCodeDuplicateMatch(TypedDict):
    id: str
    matchedBy: Literal['externalId', 'sha256', 'fields']
    reference: str


TCodeFieldType: TypeAlias = "Literal['text', 'date', 'number', 'email', 'url']"


class TCodeGrade(TypedDict):
    """How well the stamp can be read, measured on the finished pages before they were delivered; of several pages the worst figure counts. Each
    check has a letter as in ISO/IEC 15415, the worst of them is the stamp's. Null for stamps that were made before they were measured.
    """
    checks: list[TCodeGradeCheck]
    contrastPercent: float
    inkPercent: float
    letter: Literal['A', 'B', 'C', 'D', 'F']
    meaning: str
    moduleMm: float
    provedPages: list[int]
    quietZoneModules: float
    readsAtDpi: int | None
    sparePercent: float
    targetDpi: int


class TCodeGradeCheck(TypedDict):
    detail: str
    letter: Literal['A', 'B', 'C', 'D', 'F']
    name: Literal['decode', 'module_size', 'quiet_zone', 'contrast', 'error_correction', 'poor_scan']


class TCodeLifecycleActionRequest(TypedDict):
    action: NotRequired[Literal['revoke', 'suspend', 'reactivate']]
    reason: NotRequired[str]


class TCodeNotGenuine(TypedDict):
    """The failed check says why. The payload can be decoded and is not of a stamp of ours; or it is a test document (check `not_test`),
    which is not found without a test key.
    """
    assurance: Literal['none']
    checks: list[VerificationCheck]
    test: bool
    verdict: Literal['not_found']


class TCodeNothingFound(TypedDict):
    """No stamp has this reference or content."""
    verdict: Literal['not_found']


class TCodePlacementPreview(TypedDict):
    """What a stamp would look like."""
    collisions: list[TCodePreviewCollision]
    dpi: float
    grade: TCodeGrade | None
    heightPx: int
    modules: int
    page: int
    places: list[TCodePreviewPlace]
    png: str
    refusal: TCodePreviewRefusal | None
    rendering: TCodeRendering | None
    warnings: list[str]
    widthPx: int


class TCodePlacementPreviewEnvelope(TypedDict):
    data: TCodePlacementPreview


class TCodePlacementPreviewRequest(TypedDict):
    fields: NotRequired[list[FieldValue]]
    page: NotRequired[int]
    pdf: str
    placement: NotRequired[TCodePlacementTemplateRequest]
    placementTemplateId: NotRequired[str]
    tdocTemplateId: NotRequired[str]


class TCodePlacementTemplate(TypedDict):
    """As the template was made or last changed; null is what was left out. The aliases are stored under the names they stand for."""
    anchor: Literal['top-left', 'top', 'top-right', 'left', 'center', 'right', 'bottom-left', 'bottom', 'bottom-right'] | None
    caption: TCodeCaption | None
    createdAt: str
    customPages: str | None
    description: str | None
    hNorm: float | None
    id: str
    link: Literal['none', 'qr'] | None
    name: str
    pageScope: Literal['first', 'last', 'all', 'odd', 'even', 'custom'] | None
    pageSizeMmHeight: float | None
    pageSizeMmWidth: float | None
    rotation: float | None
    safeMargins: TCodeSafeMargins | None
    scanSafety: TCodeScanSafety | None
    updatedAt: str
    wNorm: float | None
    whiteBox: TCodeWhiteBox | None
    xNorm: float | None
    yNorm: float | None


class TCodePlacementTemplateEnvelope(TypedDict):
    data: TCodePlacementTemplate


class TCodePlacementTemplateList(TypedDict):
    hasNext: HasNext
    items: list[TCodePlacementTemplate]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


class TCodePlacementTemplatePatch(TypedDict):
    """The members to change."""
    anchor: NotRequired[Literal['top-left', 'top', 'top-right', 'left', 'center', 'right', 'bottom-left', 'bottom', 'bottom-right'] | None]
    caption: NotRequired[TCodeCaptionRequest]
    customPages: NotRequired[str | None]
    description: NotRequired[str | None]
    hNorm: NotRequired[float | None]
    height: NotRequired[float | None]
    link: NotRequired[Literal['none', 'qr'] | None]
    name: NotRequired[str]
    page: NotRequired[str | None]
    pageScope: NotRequired[Literal['first', 'last', 'all', 'odd', 'even', 'custom'] | None]
    pageSizeMmHeight: NotRequired[float | None]
    pageSizeMmWidth: NotRequired[float | None]
    positionX: NotRequired[float | None]
    positionY: NotRequired[float | None]
    rotation: NotRequired[float]
    safeMargins: NotRequired[TCodeSafeMarginsRequest]
    scanSafety: NotRequired[TCodeScanSafetyRequest]
    wNorm: NotRequired[float | None]
    whiteBox: NotRequired[TCodeWhiteBoxRequest]
    width: NotRequired[float | None]
    xNorm: NotRequired[float | None]
    yNorm: NotRequired[float | None]


class TCodePlacementTemplateRequest(TypedDict):
    """Lengths are fractions of the visible page (its CropBox, turned as it is shown), origin at the top left. (`xNorm`, `yNorm`) is where
    the box's `anchor` point lies; without them the anchor's own corner of the page inside `safeMargins`. Whatever would leave the page is
    moved back onto it. Bounds that leave too little for a symbol on every page are 400, with what it takes. With `pageSizeMmWidth` and
    `pageSizeMmHeight`, `wNorm` and `hNorm` are fractions of that page, so that the barcode has the same size in mm on any other;
    `xNorm` and `yNorm` always are of the page itself. `positionX`, `positionY`, `width`, `height` and `page` are other names of `xNorm`, `yNorm`, `wNorm`, `hNorm` and of `pageScope` with `customPages`; sending
    both of a pair is 400.
    """
    anchor: NotRequired[Literal['top-left', 'top', 'top-right', 'left', 'center', 'right', 'bottom-left', 'bottom', 'bottom-right'] | None]
    caption: NotRequired[TCodeCaptionRequest]
    customPages: NotRequired[str | None]
    description: NotRequired[str | None]
    hNorm: NotRequired[float | None]
    height: NotRequired[float | None]
    link: NotRequired[Literal['none', 'qr'] | None]
    name: str
    page: NotRequired[str | None]
    pageScope: NotRequired[Literal['first', 'last', 'all', 'odd', 'even', 'custom'] | None]
    pageSizeMmHeight: NotRequired[float | None]
    pageSizeMmWidth: NotRequired[float | None]
    positionX: NotRequired[float | None]
    positionY: NotRequired[float | None]
    rotation: NotRequired[float]
    safeMargins: NotRequired[TCodeSafeMarginsRequest]
    scanSafety: NotRequired[TCodeScanSafetyRequest]
    wNorm: NotRequired[float | None]
    whiteBox: NotRequired[TCodeWhiteBoxRequest]
    width: NotRequired[float | None]
    xNorm: NotRequired[float | None]
    yNorm: NotRequired[float | None]


class TCodePreviewCollision(TypedDict):
    """Something that shares ground with the stamp's box."""
    area: TCodeRectMm | None
    detail: str
    inkPercent: float | None
    kind: Literal['ink', 'field', 'signature field', 'annotation', 'stamp']
    name: str | None
    page: int


class TCodePreviewPlace(TypedDict):
    box: TCodeRectMm | None
    caption: TCodeRectMm | None
    link: TCodeRectMm | None
    moduleMm: float
    page: int
    pageHeightMm: float
    pageWidthMm: float
    quietZone: TCodeRectMm | None
    symbol: TCodeRectMm | None


class TCodePreviewRefusal(TypedDict):
    """What a stamp like this one would be answered with, 422. Null if it would be made."""
    code: Literal['PDF_NOT_STAMPABLE', 'CONFIGURATION_MISMATCH', 'STAMP_UNREADABLE', 'RENDERING_CHANGED', 'RENDERING_DIFFERS']
    message: str


class TCodeRectMm(TypedDict):
    """A part of a page as it is shown, in mm from its top left corner."""
    height: float
    width: float
    x: float
    y: float


class TCodeRendering(TypedDict):
    """What two engines that draw PDFs made of the pages of the stamped file. Null where the template switches the comparison off, and for stamps
    that were made before pages were compared.
    """
    differences: list[TCodeRenderingDifference]
    engines: list[str]
    moreDifferences: int
    notCompared: str | None
    pages: int
    pagesCompared: int
    plain: bool


class TCodeRenderingDifference(TypedDict):
    area: TCodeRectMm | None
    detail: str
    page: int


class TCodeReplaceStampRequest(TypedDict):
    """What is absent is taken over from the stamp that is replaced."""
    documentTypeCode: NotRequired[str]
    externalId: NotRequired[str]
    fields: NotRequired[list[FieldValue]]
    name: NotRequired[str]
    pdf: str
    placementTemplateId: NotRequired[str]
    reason: NotRequired[str]
    tdocTemplateId: NotRequired[str]


class TCodeSafeMargins(TypedDict):
    """Distances from the edges of the page. Null: 10 mm each."""
    bottom: float
    left: float
    right: float
    top: float


class TCodeSafeMarginsRequest(TypedDict):
    """Distances from the edges of the visible page in mm. What is absent is 10."""
    bottom: NotRequired[float]
    left: NotRequired[float]
    right: NotRequired[float]
    top: NotRequired[float]


class TCodeScan(TypedDict):
    """Everything but `verdict`, `gatewayVerdict` and `verifiedAt` is shown to the stamp's tenant only, and null for others."""
    assurance: str | None
    binding: Literal['match', 'appended', 'mismatch', 'not_checked'] | None
    deviceRefused: bool | None
    finding: Literal['test_document', 'payload_on_other_file', 'accepted_unknown', 'revoked_when_scanned', 'suspended_when_scanned', 'refused_on_device', 'revoked_since', 'suspended_since', 'added_to_file', 'clock_was_ahead', 'undecided_on_device'] | None
    gatewayVerdict: Literal['not_found', 'revoked', 'suspended', 'valid']
    location: str | None
    offlineVerdict: str | None
    scanId: str | None
    scannedAt: str | None
    scannerId: str | None
    signed: bool | None
    verdict: Literal['not_found', 'revoked', 'suspended', 'valid']
    verdictAtScan: str | None
    verifiedAt: str


class TCodeScanContext(TypedDict):
    """Where and by whom, for one scan alone. Recorded with the result."""
    location: NotRequired[str]
    scannerId: str


class TCodeScanItem(TypedDict):
    """One scan, either by `payload` or by `reference`. One item is at most 8 KiB."""
    assurance: NotRequired[Literal['none', 'signature_only', 'signature_and_status']]
    binding: NotRequired[Literal['match', 'appended', 'mismatch', 'not_checked']]
    context: NotRequired[TCodeScanItemContext]
    offlineVerdict: NotRequired[Literal['not_found', 'revoked', 'expired', 'suspended', 'unverified', 'valid']]
    payload: NotRequired[str]
    reference: NotRequired[str]
    scanId: str
    scannedAt: str
    seq: NotRequired[int]
    trustVersion: NotRequired[int]


class TCodeScanItemContext(TypedDict):
    """Where. Recorded with the result."""
    latitudeE6: NotRequired[int]
    location: NotRequired[str]
    longitudeE6: NotRequired[int]
    note: NotRequired[str]


class TCodeScanPage(TypedDict):
    hasNext: HasNext
    items: list[TCodeScan]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


class TCodeScanResult(TypedDict):
    changed: bool
    code: str | None
    message: str | None
    reference: str | None
    result: Literal['accepted', 'duplicate', 'conflict', 'rejected', 'retry']
    scanId: str
    status: Literal['Active', 'Suspended', 'Revoked'] | None
    verdict: Literal['not_found', 'revoked', 'suspended', 'valid'] | None
    verdictAtScan: Literal['not_found', 'revoked', 'suspended', 'valid'] | None


class TCodeScanSafety(TypedDict):
    """What must hold for the barcode to be readable. Null: the defaults."""
    collision: Literal['allow', 'warn', 'reject', 'relocate']
    minModuleMm: float | None
    quietZoneModules: float
    rendering: Literal['reject', 'warn', 'off']
    targetDpi: int


class TCodeScanSafetyRequest(TypedDict):
    """What must hold for the barcode to be readable."""
    collision: NotRequired[Literal['allow', 'warn', 'reject', 'relocate']]
    minModuleMm: NotRequired[float | None]
    quietZoneModules: NotRequired[float]
    rendering: NotRequired[Literal['reject', 'warn', 'off']]
    targetDpi: NotRequired[int]


class TCodeStamp(TypedDict):
    """A stamp, with all that its tenant may know."""
    barcode: TCodeBarcode
    createdAt: str
    delivery: TrustDelivery | None
    documentTypeCode: str
    erasedAt: str | None
    externalId: str | None
    fields: list[Field]
    grade: TCodeGrade | None
    id: str
    keyId: str
    name: str
    originalSha256: str
    page: int
    pages: list[int]
    placementTemplateId: str | None
    reason: str | None
    reference: str
    rendering: TCodeRendering | None
    replacedBy: str | None
    replaces: str | None
    stampedSha256: str
    status: TCodeStampStatus
    tdocTemplateId: str | None
    test: bool
    trustDocument: str | None
    updatedAt: str
    warnings: list[str]


class TCodeStampEnvelope(TypedDict):
    data: TCodeStamp


class TCodeStampPage(TypedDict):
    hasNext: HasNext
    items: list[TCodeStampSummary]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


TCodeStampStatus: TypeAlias = "Literal['Active', 'Suspended', 'Revoked']"


class TCodeStampSummary(TypedDict):
    """A stamp in a list."""
    createdAt: str
    documentTypeCode: str
    erasedAt: str | None
    externalId: str | None
    id: str
    name: str
    reference: str
    status: TCodeStampStatus
    test: bool
    updatedAt: str


class TCodeTdocCustomField(TypedDict):
    inPayload: bool
    key: str
    label: str
    maxLength: int | None
    order: int
    required: bool
    type: TCodeFieldType


class TCodeTdocCustomFieldRequest(TypedDict):
    inPayload: NotRequired[bool]
    key: str
    label: NotRequired[str | None]
    maxLength: NotRequired[int | None]
    order: NotRequired[int | None]
    required: NotRequired[bool]
    type: NotRequired[Literal['text', 'date', 'number', 'email', 'url'] | None]


class TCodeTdocTemplate(TypedDict):
    """The fields that stamps of a kind have."""
    archivedAt: str | None
    baseFields: list[str]
    createdAt: str
    customFields: list[TCodeTdocCustomField]
    description: str | None
    enableEmailSending: bool
    id: str
    issuanceTemplateId: str | None
    issuanceTemplateName: str | None
    name: str
    productMode: Literal['tcode', 'trust', 'trust_tcode']
    status: Literal['Active', 'Archived']
    suggestedDocType: str | None
    updatedAt: str


class TCodeTdocTemplateEnvelope(TypedDict):
    data: TCodeTdocTemplate


class TCodeTdocTemplateList(TypedDict):
    hasNext: HasNext
    items: list[TCodeTdocTemplate]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


class TCodeTdocTemplatePatch(TypedDict):
    """The members to change."""
    baseFields: NotRequired[list[str] | None]
    customFields: NotRequired[list[TCodeTdocCustomFieldRequest] | None]
    description: NotRequired[str | None]
    enableEmailSending: NotRequired[bool]
    issuanceTemplateId: NotRequired[str | None]
    issuanceTemplateName: NotRequired[str | None]
    name: NotRequired[str]
    productMode: NotRequired[Literal['tcode', 'trust', 'trust_tcode'] | None]
    suggestedDocType: NotRequired[str | None]


class TCodeTdocTemplateRequest(TypedDict):
    baseFields: NotRequired[list[str] | None]
    customFields: NotRequired[list[TCodeTdocCustomFieldRequest] | None]
    description: NotRequired[str | None]
    enableEmailSending: NotRequired[bool]
    issuanceTemplateId: NotRequired[str | None]
    issuanceTemplateName: NotRequired[str | None]
    name: str
    productMode: NotRequired[Literal['tcode', 'trust', 'trust_tcode'] | None]
    suggestedDocType: NotRequired[str | None]


class TCodeTwinDocument(TypedDict):
    """What the document says. Null: there is none."""
    documentType: str
    documentTypeNames: LocalizedNames
    fields: list[Field]
    issuerName: str
    issuerReference: str


class TCodeTwinStamp(TypedDict):
    """The stamp. Null: there is none."""
    issuedAt: str
    keyId: str
    replacedBy: str | None
    replaces: str | None
    status: TCodeStampStatus
    test: bool


class TCodeTwinVerification(TypedDict):
    """Whether it counts now."""
    checks: list[VerificationCheck]
    statusAsOf: str
    verdict: Literal['valid', 'suspended', 'revoked', 'not_found']


class TCodeVerification(TypedDict):
    """The stamp is the issuer's; whether it counts now says `verdict`."""
    assurance: Literal['none', 'signature_only', 'signature_and_status'] | None
    checks: list[VerificationCheck]
    documentType: str
    documentTypeNames: LocalizedNames
    erasedAt: str | None
    fields: list[Field]
    issuedAt: str
    issuerName: str
    issuerReference: str
    matchCount: int | None
    matchedOn: Literal['original', 'stamped'] | None
    name: str | None
    reason: str | None
    reference: str
    replacedBy: str | None
    replaces: str | None
    status: TCodeStampStatus
    statusAsOf: str
    test: bool
    trustDocument: str | None
    verdict: Literal['valid', 'suspended', 'revoked']


class TCodeVerificationEntry(TypedDict):
    id: str
    keyPrefix: str | None
    location: str | None
    method: Literal['reference', 'hash', 'payload']
    reference: str
    scannerId: str | None
    test: bool
    verdict: Literal['not_found', 'revoked', 'suspended', 'valid']
    verifiedAt: str


class TCodeVerificationEnvelope(TypedDict):
    data: TCodeVerification | TCodeNothingFound | TCodeNotGenuine


class TCodeVerificationPage(TypedDict):
    hasNext: HasNext
    items: list[TCodeVerificationEntry]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


class TCodeVerifyPayloadRequest(TypedDict):
    context: NotRequired[TCodeVerifyPayloadRequestContext]
    payload: str


class TCodeVerifyPayloadRequestContext(TypedDict):
    """With what and where the symbol was read, as the caller says. It is kept with the result in the issuer's history, and proves nothing."""
    location: NotRequired[str]
    scannerId: NotRequired[str]


class TCodeWhiteBox(TypedDict):
    """The white ground. Null: none."""
    enabled: bool
    opacity: float
    paddingMm: float


class TCodeWhiteBoxRequest(TypedDict):
    """A white ground under the barcode and its caption."""
    enabled: NotRequired[bool]
    opacity: NotRequired[float]
    paddingMm: NotRequired[float]


class TenantInfo(TypedDict):
    name: str
    tenantReference: str


class TenantInfoList(TypedDict):
    items: list[TenantInfo]


TotalCount: TypeAlias = "int"


TotalIsLowerBound: TypeAlias = "bool"


TotalPages: TypeAlias = "int"


class TrustArchiveRequest(TypedDict):
    reason: str


class TrustBulkJobRequest(TypedDict):
    csvFileBase64: str
    dryRun: NotRequired[bool]
    issuancePath: Literal['digital', 'tcode', 'both']
    modeType: NotRequired[Literal['standard', 'test'] | None]
    scheduledFor: NotRequired[str | None]
    templateId: str
    validUntil: NotRequired[str | None]
    validityType: NotRequired[Literal['None', 'Until', 'Duration'] | None]
    validityUnit: NotRequired[Literal['days', 'months', 'years'] | None]
    validityValue: NotRequired[int | None]
    zipFileBase64: str


class TrustDelivery(TypedDict):
    """The e-mail to the recipient; null without an address. `Waiting` for its first try or the next, `Sending`, `Sent`: the mail server took it; `Refused` permanently; `Failed`: not confirmed within a day; `Dropped`: the document had ended before; `NotConfigured`: this gateway sends no e-mail."""
    code: int | None
    message: str
    nextTryAt: str | None
    reason: Literal['revoked', 'replaced', 'expired', 'suspended', 'unreachable', 'unanswered', 'answered', 'tls', 'login', 'file', 'message', 'interrupted', 'restored'] | None
    sentAt: str | None
    state: Literal['NotConfigured', 'Waiting', 'Sending', 'Sent', 'Refused', 'Failed', 'Dropped']
    tries: int


class TrustDocument(TypedDict):
    """A Trust document, with all that its tenant may know."""
    contentSha256: str
    createdAt: str
    delivery: TrustDelivery | None
    documentTitle: str | None
    documentTypeCode: str
    erasedAt: str | None
    expiresAt: str | None
    expiresOn: str | None
    externalId: str | None
    fields: list[Field]
    id: str
    issuancePath: Literal['digital', 'tcode', 'both']
    issuedAt: str
    pdfSha256: str | None
    reason: str | None
    recipientEmail: str | None
    recipientName: str
    reference: str
    replacedBy: str | None
    replaces: str | None
    signature: TrustSignature
    stamp: TrustStamp | None
    status: TrustDocumentStatus
    templateId: str
    templateVersion: int
    test: bool
    updatedAt: str
    warnings: list[str]


class TrustDocumentEnvelope(TypedDict):
    data: TrustDocument


class TrustDocumentPage(TypedDict):
    hasNext: HasNext
    items: list[TrustDocumentSummary]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


TrustDocumentStatus: TypeAlias = "Literal['Active', 'Suspended', 'Revoked', 'Expired']"


class TrustDocumentSummary(TypedDict):
    """A Trust document in a list."""
    createdAt: str
    documentTitle: str | None
    documentTypeCode: str
    erasedAt: str | None
    expiresAt: str | None
    expiresOn: str | None
    externalId: str | None
    id: str
    recipientName: str
    reference: str
    status: TrustDocumentStatus
    templateId: str
    test: bool
    updatedAt: str


class TrustDuplicateCheck(TypedDict):
    """That there is no such document."""
    duplicate: bool


class TrustDuplicateCheckEnvelope(TypedDict):
    data: TrustDuplicateCheck


class TrustDuplicateCheckRequest(TypedDict):
    """At least one of `externalId` and `fields`."""
    externalId: NotRequired[str]
    fields: NotRequired[list[FieldValue]]
    recipientName: NotRequired[str]
    templateId: NotRequired[str]


class TrustFieldDefinition(TypedDict):
    key: str
    label: str
    required: bool
    type: TCodeFieldType


class TrustFieldDefinitionRequest(TypedDict):
    key: str
    label: NotRequired[str]
    required: NotRequired[bool]
    type: NotRequired[TCodeFieldType]


class TrustIssuanceRequest(TypedDict):
    documentTitle: NotRequired[str]
    expiresAt: NotRequired[str]
    externalId: NotRequired[str]
    fields: list[FieldValue]
    generatePdf: NotRequired[bool]
    issuancePath: NotRequired[Literal['digital', 'tcode', 'both']]
    modeType: NotRequired[Literal['standard', 'test'] | None]
    pdf: NotRequired[str]
    recipientEmail: NotRequired[str]
    recipientName: str
    templateId: str


class TrustLifecycleRequest(TypedDict):
    action: Literal['suspend', 'revoke', 'reinstate', 'reactivate', 'expire']
    reason: NotRequired[str]


class TrustNotGenuine(TypedDict):
    """The failed check says why. What the gateway holds under this reference is not what was signed; or it is a test document (check
    `not_test`), which is not found without a test key.
    """
    checks: list[VerificationCheck]
    test: bool
    verdict: Literal['not_found']


class TrustNothingFound(TypedDict):
    """No document has this reference or content."""
    verdict: Literal['not_found']


class TrustPlacementRequest(TypedDict):
    placementTemplateId: NotRequired[str | None]


class TrustReplaceRequest(TypedDict):
    """What is absent is taken over from the document that is replaced, but for `pdf`."""
    documentTitle: NotRequired[str]
    expiresAt: NotRequired[str]
    externalId: NotRequired[str]
    fields: NotRequired[list[FieldValue]]
    generatePdf: NotRequired[bool]
    issuancePath: NotRequired[Literal['digital', 'tcode', 'both']]
    pdf: NotRequired[str]
    reason: NotRequired[str]
    recipientEmail: NotRequired[str]
    recipientName: NotRequired[str]
    templateId: NotRequired[str]


class TrustResendRequest(TypedDict):
    recipientEmail: NotRequired[str]


class TrustSignature(TypedDict):
    """The tenant's signature. What is signed is `TCode-Trust/1`, a line feed, and `canonical`, in UTF-8."""
    algorithm: Literal['Ed25519', 'ES256']
    canonical: str
    keyId: str
    value: str


class TrustStamp(TypedDict):
    """The TCode on the document's PDF. It changes with the document alone. Null without one."""
    id: str
    reference: str
    stampedSha256: str


class TrustTemplate(TypedDict):
    """What Trust documents are issued from."""
    archiveReason: str | None
    archivedAt: str | None
    createdAt: str
    description: str | None
    documentTypeCode: str
    fields: list[TrustFieldDefinition]
    id: str
    name: str
    placementTemplateId: str | None
    status: TrustTemplateStatus
    updatedAt: str
    version: int


class TrustTemplateEnvelope(TypedDict):
    data: TrustTemplate


class TrustTemplatePage(TypedDict):
    hasNext: HasNext
    items: list[TrustTemplate]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


class TrustTemplatePatch(TypedDict):
    """The members to change."""
    description: NotRequired[str | None]
    documentTypeCode: NotRequired[str]
    fields: NotRequired[list[TrustFieldDefinitionRequest]]
    name: NotRequired[str]


class TrustTemplateRequest(TypedDict):
    description: NotRequired[str | None]
    documentTypeCode: str
    fields: list[TrustFieldDefinitionRequest]
    name: str


TrustTemplateStatus: TypeAlias = "Literal['Active', 'Archived']"


class TrustTemplateUpdateRequest(TypedDict):
    description: NotRequired[str | None]
    documentTypeCode: NotRequired[str]
    fields: list[TrustFieldDefinitionRequest]
    name: str


class TrustVerification(TypedDict):
    """The document is the issuer's; whether it counts now says `verdict`."""
    checks: list[VerificationCheck]
    contentSha256: str
    documentTitle: str | None
    documentType: str
    documentTypeNames: LocalizedNames
    erasedAt: str | None
    expiresAt: str | None
    expiresOn: str | None
    fields: list[Field] | None
    issuedAt: str
    issuerName: str
    issuerReference: str
    keyId: str
    matchCount: int | None
    matchedOn: Literal['original', 'stamped', 'content'] | None
    reason: str | None
    recipientName: str
    reference: str
    replacedBy: str | None
    replaces: str | None
    stamp: str | None
    status: TrustDocumentStatus
    statusAsOf: str
    test: bool
    verdict: Literal['valid', 'suspended', 'revoked', 'expired']


class TrustVerificationEntry(TypedDict):
    id: str
    keyPrefix: str | None
    method: Literal['reference', 'hash']
    reference: str
    test: bool
    verdict: Literal['not_found', 'revoked', 'expired', 'suspended', 'valid']
    verifiedAt: str


class TrustVerificationEnvelope(TypedDict):
    data: TrustVerification | TrustNothingFound | TrustNotGenuine


class TrustVerificationPage(TypedDict):
    hasNext: HasNext
    items: list[TrustVerificationEntry]
    page: PageNumber
    pageSize: PageLength
    totalCount: TotalCount
    totalIsLowerBound: TotalIsLowerBound
    totalPages: TotalPages


class TrustVerifyHashRequest(TypedDict):
    hash: str


class TrustVerifyReferenceRequest(TypedDict):
    reference: str


class Usage(TypedDict):
    """Use of the plan, by kind and by day."""
    days: list[UsageDay]
    items: list[UsageKind]
    month: str


class UsageDay(TypedDict):
    day: str
    documents: int
    scans: int
    stamps: int
    verifications: int


class UsageEnvelope(TypedDict):
    data: Usage


class UsageKind(TypedDict):
    kind: Literal['stamps', 'templates', 'bulk_jobs', 'documents', 'lifecycle', 'requests']
    quota: int | None
    used: int
    usedTest: int


class VerificationCheck(TypedDict):
    code: str
    detail: str | None
    name: str
    status: Literal['pass', 'fail', 'skipped', 'unknown']


class Webhook(TypedDict):
    """An endpoint for events."""
    createdAt: str
    events: list[str]
    failingSince: str | None
    failures: int
    id: str
    lastDay: WebhookCounts
    oldSecretUntil: str | None
    reason: str | None
    state: Literal['enabled', 'disabled']
    updatedAt: str
    url: str


class WebhookAttempt(TypedDict):
    at: str
    number: int
    reason: str | None
    status: int | None
    tookMs: int


class WebhookBulkData(TypedDict):
    """The job. Its counts are of rows. Members may be added."""
    dryRun: bool
    failed: int
    id: str
    product: Literal['tcode', 'trust']
    skipped: int
    status: Literal['Completed', 'CompletedWithErrors', 'Failed', 'Cancelled']
    succeeded: int
    test: bool
    total: int


class WebhookBulkEvent(TypedDict):
    """A bulk job, and what happened to it."""
    createdAt: str
    data: WebhookBulkData
    id: str
    tenantReference: str
    type: Literal['bulk.completed', 'bulk.failed', 'bulk.cancelled']


class WebhookCounts(TypedDict):
    """Deliveries that were made in the last 24 hours."""
    delivered: int
    failed: int
    waiting: int


class WebhookDelivery(TypedDict):
    createdAt: str
    dueAt: str | None
    finishedAt: str | None
    id: str
    reason: str | None
    state: Literal['Waiting', 'Delivered', 'Failed']
    status: int | None
    tries: int
    type: str
    webhookId: str


class WebhookDeliveryDetail(TypedDict):
    """An event for an endpoint, with its tries."""
    attempts: list[WebhookAttempt]
    body: str
    createdAt: str
    dueAt: str | None
    finishedAt: str | None
    id: str
    reason: str | None
    state: Literal['Waiting', 'Delivered', 'Failed']
    status: int | None
    tries: int
    type: str
    webhookId: str


class WebhookDeliveryEnvelope(TypedDict):
    data: WebhookDeliveryDetail


class WebhookDeliveryPage(TypedDict):
    hasNext: bool
    items: list[WebhookDelivery]
    page: int
    pageSize: int
    totalCount: int
    totalIsLowerBound: bool
    totalPages: int


class WebhookDeviceData(TypedDict):
    """The tenant's first scan that shows the second device. Members may be added."""
    batchId: str
    otherScanId: str | None
    reason: Literal['seq_reused', 'seq_went_back']
    reference: str
    scanId: str
    scannedAt: str
    scannerId: str
    seq: int


class WebhookDeviceEvent(TypedDict):
    """A device, and what happened to it."""
    createdAt: str
    data: WebhookDeviceData
    id: str
    tenantReference: str
    type: Literal['device.flagged']


class WebhookDocumentData(TypedDict):
    """The Trust document after the change. Members may be added."""
    expiresAt: str | None
    expiresOn: str | None
    externalId: str | None
    id: str
    previousStatus: Literal['Active', 'Suspended', 'Revoked', 'Expired'] | None
    reason: str | None
    reference: str
    replacedBy: str | None
    stampReference: str | None
    status: TrustDocumentStatus
    templateId: str
    test: bool


class WebhookDocumentEvent(TypedDict):
    """A Trust document, and what happened to it."""
    createdAt: str
    data: WebhookDocumentData
    id: str
    tenantReference: str
    type: Literal['document.issued', 'document.suspended', 'document.reactivated', 'document.revoked', 'document.replaced', 'document.expired']


class WebhookEnvelope(TypedDict):
    data: Webhook


class WebhookKeyData(TypedDict):
    """The key that signs now. Members may be added."""
    algorithm: Literal['Ed25519', 'ES256']
    keyId: str
    previousKeyId: str | None
    previousState: Literal['verifying', 'compromised'] | None
    validFrom: str


class WebhookKeyEvent(TypedDict):
    """A signing key, and what happened to it."""
    createdAt: str
    data: WebhookKeyData
    id: str
    tenantReference: str
    type: Literal['key.rotated']


class WebhookList(TypedDict):
    items: list[Webhook]


class WebhookPatch(TypedDict):
    events: NotRequired[list[str]]
    url: NotRequired[str]


class WebhookPingData(TypedDict):
    """Nothing."""


class WebhookPingEvent(TypedDict):
    """A test of the endpoint."""
    createdAt: str
    data: WebhookPingData
    id: str
    tenantReference: str
    type: Literal['ping']


class WebhookRedeliverRequest(TypedDict):
    since: NotRequired[str]


class WebhookRedelivery(TypedDict):
    """What is sent again."""
    count: int


class WebhookRedeliveryEnvelope(TypedDict):
    data: WebhookRedelivery


class WebhookRequest(TypedDict):
    events: NotRequired[list[str]]
    url: str


class WebhookScan(TypedDict):
    """One scan, in a conflict the second one. Members may be added."""
    binding: Literal['match', 'appended', 'mismatch', 'not_checked'] | None
    finding: str | None
    gatewayVerdict: Literal['not_found', 'revoked', 'suspended', 'valid']
    offlineVerdict: Literal['not_found', 'revoked', 'expired', 'suspended', 'unverified', 'valid'] | None
    reference: str
    scanId: str
    scannedAt: str
    verdict: Literal['not_found', 'revoked', 'suspended', 'valid']
    verdictAtScan: Literal['not_found', 'revoked', 'suspended', 'valid']


class WebhookScanData(TypedDict):
    """The scans of a batch. Members may be added."""
    batchId: str
    count: int
    scannerId: str
    scans: list[WebhookScan]


class WebhookScanEvent(TypedDict):
    """Scans of a batch, and why they deserve a second look."""
    createdAt: str
    data: WebhookScanData
    id: str
    tenantReference: str
    type: Literal['scan.conflict', 'scan.finding']


class WebhookStampData(TypedDict):
    """The stamp after the change. Members may be added."""
    documentReference: str | None
    externalId: str | None
    id: str
    previousStatus: Literal['Active', 'Suspended', 'Revoked'] | None
    reason: str | None
    reference: str
    replacedBy: str | None
    status: TCodeStampStatus
    test: bool


class WebhookStampEvent(TypedDict):
    """A stamp, and what happened to it."""
    createdAt: str
    data: WebhookStampData
    id: str
    tenantReference: str
    type: Literal['stamp.created', 'stamp.suspended', 'stamp.reactivated', 'stamp.revoked', 'stamp.replaced']


class WebhookTest(TypedDict):
    """The answer of the endpoint to a test."""
    delivered: bool
    reason: str | None
    status: int | None
    tookMs: int


class WebhookTestEnvelope(TypedDict):
    data: WebhookTest


class Client(_Calls):
    """The calls of a gateway. A key is needed for all but verification and public data."""

    def accept_device(self, scanner_id: str) -> DeviceEnvelope:
        """Take back the refusal of a device.

        None of its scans has the mark any more. Accepting twice is no error. Takes no body.
        """
        return cast(DeviceEnvelope, json.loads(self._call("POST", f"/v1/devices/{_at(scanner_id)}/accept", "application/json", {}, {})))

    def archive_tdoc_template(self, id: str, *, if_match: str | None = None) -> None:
        """Archive a template.

        New stamps with it are 422 `TEMPLATE_ARCHIVED`; those that exist stay valid. Archiving twice is no error. Takes no body.
        """
        self._call("POST", f"/v1/tcode/templates/tdoc/{_at(id)}/archive", "application/json", {}, {"If-Match": if_match})

    def archive_trust_template(self, id: str, body: TrustArchiveRequest, *, if_match: str | None = None) -> None:
        """Archive a template.

        New documents from it are 422 `TEMPLATE_ARCHIVED`; those that exist stay valid. Archiving twice is no error.
        """
        self._call("POST", f"/v1/trust/templates/{_at(id)}/archive", "application/json", {}, {"If-Match": if_match}, body)

    def cancel_tcode_bulk_job(self, job_id: str) -> None:
        """Make no more rows.

        Rows that are being made are finished or not made at all; the rest is `Skipped`, and a retry makes it. No error where the job is cancelled
        already. Takes no body.
        """
        self._call("POST", f"/v1/tcode/bulk-jobs/{_at(job_id)}/cancel", "application/json", {}, {})

    def cancel_trust_bulk_job(self, job_id: str) -> None:
        """Make no more rows.

        Rows that are being made are finished or not made at all; the rest is `Skipped`, and a retry makes it. No error where the job is cancelled
        already. Takes no body.
        """
        self._call("POST", f"/v1/trust/bulk-jobs/{_at(job_id)}/cancel", "application/json", {}, {})

    def change_document(self, id: str, body: TrustLifecycleRequest) -> None:
        """Suspend, reinstate, revoke or expire a document.

        What leads to the present status is no error, and a new `reason` given with it is kept. `Revoked` and `Expired` are final. `expire` ends the document now, whatever its
        `expiresAt` says. The stamp that the document owns follows, and devices learn of it with their next refresh.
        """
        self._call("POST", f"/v1/trust/issuances/{_at(id)}/lifecycle", "application/json", {}, {}, body)

    def check_document_duplicate(self, body: TrustDuplicateCheckRequest) -> TrustDuplicateCheckEnvelope:
        """Is there such a document already?.

        200 if there is none. 409 `DUPLICATE` with its `reference` if a document that stands has the `externalId`, or if one of the
        template stands (neither revoked nor expired) with all of the values and, if it is given, that recipient.
        """
        return cast(TrustDuplicateCheckEnvelope, json.loads(self._call("POST", "/v1/trust/issuances/duplicate-check", "application/json", {}, {}, body)))

    def check_duplicate(self, body: TCodeDuplicateCheckRequest) -> TCodeDuplicateCheckEnvelope:
        """Ask whether a stamp is there already.

        Looks among the tenant's stamps for the same `externalId`, for the same file by its SHA-256, and for the same field values under a
        TDoc template. Revoked stamps match by their file alone, replaced ones not at all. At least one of the three is needed; a stamp that matches in several ways is listed once for each. Nothing is changed.
        """
        return cast(TCodeDuplicateCheckEnvelope, json.loads(self._call("POST", "/v1/tcode/stamps/duplicate-check", "application/json", {}, {}, body)))

    def create_api_key(self, body: ApiKeyRequest, *, idempotency_key: str | None = None) -> NewApiKeyEnvelope:
        """Make an API key.

        The answer has the only copy of the key: `secret` goes into the header `x-api-key`. A repeat under the same `Idempotency-Key` makes no second key, and its `secret` is null:
        if the first answer was lost, revoke the key and make another one. A key gives only scopes that it has itself. A test key cannot have the scope `manage`. At most 500 keys
        may be active (409).
        """
        return cast(NewApiKeyEnvelope, json.loads(self._call("POST", "/v1/api-keys", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def create_placement_template(self, body: TCodePlacementTemplateRequest, *, idempotency_key: str | None = None) -> TCodePlacementTemplateEnvelope:
        """Make a template.

        Stores a place for barcodes under a name. A stamp names it as `placementTemplateId`. The preview shows what a place looks like on a PDF before it is stored.
        """
        return cast(TCodePlacementTemplateEnvelope, json.loads(self._call("POST", "/v1/tcode/templates/placement", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def create_stamp(self, body: TCodeCreateStampRequest, *, idempotency_key: str | None = None) -> TCodeStampEnvelope:
        """Stamp a PDF.

        Signs a new payload, appends the barcode to the PDF as an incremental update (every byte of the file sent is kept,
        signatures in it stay valid) and stores the result. The default place is the last page, bottom right, 15 mm wide with a
        10 mm margin.

        409 `DUPLICATE` names the stamp that stands already with the same `externalId` or, for a request without one, with the same values of
        the same TDoc template. A revoked or replaced stamp stands for nothing: its external id and its values are free again.
        """
        return cast(TCodeStampEnvelope, json.loads(self._call("POST", "/v1/tcode/stamps", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def create_tcode_bulk_job(self, body: TCodeBulkJobRequest, *, idempotency_key: str | None = None) -> BulkJobEnvelope:
        """Stamp many PDFs.

        Stamps the PDFs and pictures of a ZIP archive, one for each row of a CSV file.

        The files are taken as they are and read afterwards: the answer is a job that is `Pending`, and what is wrong with them stands in the job's
        `problems`, each with line and column, all at once. Nothing is made unless all rows are good; `dryRun` stops there in any case.

        The CSV file is UTF-8 or UTF-16, with commas, semicolons, tabs or vertical bars, and has a header line with the columns of `csv-fields`, in any order and
        case. Dates and numbers may have the forms of spreadsheets (`31.12.2027`, `1.234,5`) where these have one meaning; others are a problem (`12/31/2027`, `1,234`). At most 5,000 rows of 256 columns, and 8 MiB. Each row names its PDF in `fileName`. Without a TDoc template the columns are `fileName`, `name`, `documentTypeCode` and `externalId`. The ZIP archive has at most 10,000 entries and 200 MiB.
        """
        return cast(BulkJobEnvelope, json.loads(self._call("POST", "/v1/tcode/bulk-jobs", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def create_tdoc_template(self, body: TCodeTdocTemplateRequest, *, idempotency_key: str | None = None) -> TCodeTdocTemplateEnvelope:
        """Make a template.

        Stores the fields that a kind of document has. A stamp names the template as `tdocTemplateId` and gives the values in `fields`.
        """
        return cast(TCodeTdocTemplateEnvelope, json.loads(self._call("POST", "/v1/tcode/templates/tdoc", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def create_trust_bulk_job(self, body: TrustBulkJobRequest, *, idempotency_key: str | None = None) -> BulkJobEnvelope:
        """Issue many Trust documents.

        Issues a Trust document for each row of a CSV file, with PDFs of a ZIP archive.

        The files are taken as they are and read afterwards: the answer is a job that is `Pending`, or `Scheduled`, and what is wrong with them stands in the job's
        `problems`, each with line and column, all at once. Nothing is made unless all rows are good; `dryRun` stops there in any case.

        The CSV file is UTF-8 or UTF-16, with commas, semicolons, tabs or vertical bars, and has a header line with the columns of `csv-fields`, in any order and
        case. Dates and numbers may have the forms of spreadsheets (`31.12.2027`, `1.234,5`) where these have one meaning; others are a problem (`12/31/2027`, `1,234`). At most 5,000 rows of 256 columns, and 8 MiB. A row may name a PDF or picture in `fileName`; with `issuancePath` `tcode` or `both` each does, unless its `generatePdf` is `true`: then the gateway draws a certificate page. The ZIP archive has at most 10,000 entries and 200 MiB.
        """
        return cast(BulkJobEnvelope, json.loads(self._call("POST", "/v1/trust/bulk-jobs", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def create_trust_template(self, body: TrustTemplateRequest, *, idempotency_key: str | None = None) -> TrustTemplateEnvelope:
        """Make a template.

        Stores the fields of a kind of Trust document. An issuance names it as `templateId`, and its values are checked by their types.
        """
        return cast(TrustTemplateEnvelope, json.loads(self._call("POST", "/v1/trust/templates", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def create_webhook(self, body: WebhookRequest, *, idempotency_key: str | None = None) -> NewWebhookEnvelope:
        """Make an endpoint.

        The answer has the `secret` with which the receiver checks signatures; no later one has it. A repeat under the same `Idempotency-Key` makes no second endpoint, and its `secret` is null.
        The endpoint must be on the public internet, with TLS, unless the operator permits others. A 21st endpoint is 409.
        """
        return cast(NewWebhookEnvelope, json.loads(self._call("POST", "/v1/webhooks", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def delete_placement_template(self, id: str, *, if_match: str | None = None) -> None:
        """Remove a template.

        Stamps made with it stay as they are and still name it.
        """
        self._call("DELETE", f"/v1/tcode/templates/placement/{_at(id)}", "application/json", {}, {"If-Match": if_match})

    def delete_tdoc_template(self, id: str, *, if_match: str | None = None) -> None:
        """Remove a template.

        Stamps made with it stay as they are and still name it.
        """
        self._call("DELETE", f"/v1/tcode/templates/tdoc/{_at(id)}", "application/json", {}, {"If-Match": if_match})

    def delete_trust_template(self, id: str, *, if_match: str | None = None) -> None:
        """Remove a template.

        Documents issued from it stay as they are and still name it.
        """
        self._call("DELETE", f"/v1/trust/templates/{_at(id)}", "application/json", {}, {"If-Match": if_match})

    def delete_webhook(self, id: str) -> None:
        """Remove an endpoint.

        Its deliveries are removed with it.
        """
        self._call("DELETE", f"/v1/webhooks/{_at(id)}", "application/json", {}, {})

    def disable_webhook(self, id: str) -> WebhookEnvelope:
        """Stop all deliveries to an endpoint.

        Those that wait fail, and can be requested again once the endpoint is enabled. Disabling twice is no error. Takes no body.
        """
        return cast(WebhookEnvelope, json.loads(self._call("POST", f"/v1/webhooks/{_at(id)}/disable", "application/json", {}, {})))

    def download_document(self, id: str, *, type: Literal['stamped', 'original'] | None = None) -> TCodeDownloadEnvelope:
        """A short-lived address of the PDF of the document.

        Gives a signed address, not the file. The address works without a key for 15 minutes; ask again for a new one.
        """
        return cast(TCodeDownloadEnvelope, json.loads(self._call("GET", f"/v1/trust/issuances/{_at(id)}/download", "application/json", {"type": type}, {})))

    def download_stamp(self, id: str, *, type: Literal['stamped', 'original', 'barcode', 'payload'] | None = None) -> TCodeDownloadEnvelope:
        """A short-lived address of a file of the stamp.

        Gives a signed address, not the file. The address works without a key for 15 minutes; ask again for a new one.
        """
        return cast(TCodeDownloadEnvelope, json.loads(self._call("GET", f"/v1/tcode/stamps/{_at(id)}/download", "application/json", {"type": type}, {})))

    def duplicate_placement_template(self, id: str, body: DuplicateRequest | None = None, *, idempotency_key: str | None = None) -> TCodePlacementTemplateEnvelope:
        """Copy a template.

        The copy has a new id and the `name` of the body, or else ` (copy)` at the end of the template's name, which is cut to 200 characters.
        """
        return cast(TCodePlacementTemplateEnvelope, json.loads(self._call("POST", f"/v1/tcode/templates/placement/{_at(id)}/duplicate", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def duplicate_trust_template(self, id: str, body: DuplicateRequest | None = None, *, idempotency_key: str | None = None) -> TrustTemplateEnvelope:
        """Copy a template.

        The copy is active and has a new id and the `name` of the body, or else ` (copy)` at the end of the template's name, which is cut to 200 characters.
        """
        return cast(TrustTemplateEnvelope, json.loads(self._call("POST", f"/v1/trust/templates/{_at(id)}/duplicate", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def enable_webhook(self, id: str) -> WebhookEnvelope:
        """Let an endpoint receive events from now on.

        Deliveries that failed meanwhile can be requested again. Enabling twice is no error. Takes no body.
        """
        return cast(WebhookEnvelope, json.loads(self._call("POST", f"/v1/webhooks/{_at(id)}/enable", "application/json", {}, {})))

    def erase_document(self, id: str, body: EraseRequest | None = None) -> None:
        """Erase the personal data and the files of a document.

        Forever: name, recipient, e-mail, fields, external id, search words, reasons, files, and what other records hold of them (its stamp, answers kept for an
        `Idempotency-Key`, bodies of webhooks, payloads and notes of scans, the row and the uploaded files of its bulk job). Reference, hashes and status
        stay, and verdicts are the same as before; `erasedAt` says so. Answers change immediately; the bytes are gone from the gateway's files some seconds
        later, or minutes for a file that was stored a moment ago. Repeating it does nothing. Backups that were made before keep the data.
        """
        self._call("POST", f"/v1/trust/issuances/{_at(id)}/erase", "application/json", {}, {}, body)

    def erase_stamp(self, id: str, body: EraseRequest | None = None) -> None:
        """Erase the personal data and the files of a stamp.

        Forever: name, recipient, e-mail, fields, external id, search words, reasons, files, and what other records hold of them (answers kept for an
        `Idempotency-Key`, bodies of webhooks, payloads and notes of scans, the row and the uploaded files of its bulk job). Reference, hashes and status
        stay, and verdicts are the same as before; `erasedAt` says so. Answers change immediately; the bytes are gone from the gateway's files some seconds
        later, or minutes for a file that was stored a moment ago. Repeating it does nothing. Backups that were made before keep the data.
        """
        self._call("POST", f"/v1/tcode/stamps/{_at(id)}/erase", "application/json", {}, {}, body)

    def export_tenant(self) -> bytes:
        """Everything that the gateway keeps of the tenant, in one archive.

        Tables as JSON lines in `tables/`, files in `files/`, a `README.txt` that describes them, and at the end `manifest.json` with the counts. Made as it is
        sent, so that its length is not known; one that is cut short has no directory, and no program takes it. Secrets are left out. Not for test keys.
        """
        return self._call("GET", "/v1/export", "application/zip", {}, {})

    def get_api_key(self, prefix: str) -> ApiKeyEnvelope:
        """One API key.

        By its visible prefix. `leftBehind` is what to look at before or after the key is ended: work that ends with it, and keys, webhooks and users that it made, also the key that a rotation made in its place.
        """
        return cast(ApiKeyEnvelope, json.loads(self._call("GET", f"/v1/api-keys/{_at(prefix)}", "application/json", {}, {})))

    def get_device(self, scanner_id: str) -> DeviceDetailEnvelope:
        """One device with the corrections of its clock.

        A device that has scanned no stamp of the tenant is 404.
        """
        return cast(DeviceDetailEnvelope, json.loads(self._call("GET", f"/v1/devices/{_at(scanner_id)}", "application/json", {}, {})))

    def get_digital_twin(self, reference: str) -> TCodeDigitalTwinEnvelope:
        """Stamp, verification and document in one record, with the address of a page for people.

        An unknown or malformed reference gets the verdict `not_found` and null for all else.
        """
        return cast(TCodeDigitalTwinEnvelope, json.loads(self._call("GET", f"/v1/tcode/verify/digital-twin/{_at(reference)}", "application/json", {}, {})))

    def get_document(self, id: str) -> TrustDocumentEnvelope:
        """One document.

        `signature` and `canonical` are what anyone needs to check it without the gateway, with a key of the reference data.
        """
        return cast(TrustDocumentEnvelope, json.loads(self._call("GET", f"/v1/trust/issuances/{_at(id)}", "application/json", {}, {})))

    def get_placement_template(self, id: str) -> TCodePlacementTemplateEnvelope:
        """One template.

        The template as it was made or last changed. Its `ETag` goes into `If-Match` of a change.
        """
        return cast(TCodePlacementTemplateEnvelope, json.loads(self._call("GET", f"/v1/tcode/templates/placement/{_at(id)}", "application/json", {}, {})))

    def get_public_key(self, tenant_reference: str) -> PublicKeyEnvelope:
        """The key a tenant signs with now.

        The tenant's other keys that may still verify are in `otherKeys`.
        """
        return cast(PublicKeyEnvelope, json.loads(self._call("GET", f"/v1/reference-data/public-keys/{_at(tenant_reference)}", "application/json", {}, {})))

    def get_retention(self) -> RetentionEnvelope:
        """How long each kind of data is kept.

        Times that the tenant has not set are the defaults.
        """
        return cast(RetentionEnvelope, json.loads(self._call("GET", "/v1/retention", "application/json", {}, {})))

    def get_stamp(self, id: str) -> TCodeStampEnvelope:
        """One stamp.

        All that the tenant may know of a stamp: status, fields, grade, warnings, and what it replaces or is replaced by.
        """
        return cast(TCodeStampEnvelope, json.loads(self._call("GET", f"/v1/tcode/stamps/{_at(id)}", "application/json", {}, {})))

    def get_tcode_bulk_errors(self, job_id: str) -> bytes:
        """The rows to correct, as they were sent.

        The failed rows of a job, with the columns of its file and a last one, `_error`, that says why: correct them, and send the file as a new job with
        the same archive. `_error` is not read. If the job's files were not good, it has all rows, since none was made; `_error` is empty where
        a row is good. Delimiter as sent, UTF-8 with a byte order mark; cells that a spreadsheet would compute begin with an apostrophe, which is taken away
        again when the file is read.
        """
        return self._call("GET", f"/v1/tcode/bulk-jobs/{_at(job_id)}/errors.csv", "text/csv", {}, {})

    def get_tcode_bulk_job(self, job_id: str) -> BulkJobDetailEnvelope:
        """One job, with what is wrong with its files.

        The job with its settings and counts, and with the problems that were found in its files.
        """
        return cast(BulkJobDetailEnvelope, json.loads(self._call("GET", f"/v1/tcode/bulk-jobs/{_at(job_id)}", "application/json", {}, {})))

    def get_tcode_bulk_progress(self, job_id: str) -> BulkProgressEnvelope:
        """How far a job is.

        How many rows are done, and how long the rest may take. It is cheap: ask for it every second or so.
        """
        return cast(BulkProgressEnvelope, json.loads(self._call("GET", f"/v1/tcode/bulk-jobs/{_at(job_id)}/progress", "application/json", {}, {})))

    def get_tcode_bulk_results(self, job_id: str) -> bytes:
        """What was made, in one archive.

        The stamped PDFs. Each is named by the row's file and its reference. `manifest.csv` has a line for each row: what became of it, its warnings, and the name in the
        archive. Made as it is sent, so that its length is not known; one that is cut short has no directory, and no program takes it.
        """
        return self._call("GET", f"/v1/tcode/bulk-jobs/{_at(job_id)}/results.zip", "application/zip", {}, {})

    def get_tdoc_csv_fields(self, id: str) -> TCodeCsvFieldsEnvelope:
        """The columns of a CSV file for this template.

        As `text/csv` it is the header line and a line of examples, ready to be filled in, in UTF-8 with a byte order mark, as spreadsheets need it.
        """
        return cast(TCodeCsvFieldsEnvelope, json.loads(self._call("GET", f"/v1/tcode/templates/tdoc/{_at(id)}/csv-fields", "application/json", {}, {})))

    def get_tdoc_template(self, id: str) -> TCodeTdocTemplateEnvelope:
        """One template.

        The template as it was made or last changed. Its `ETag` goes into `If-Match` of a change.
        """
        return cast(TCodeTdocTemplateEnvelope, json.loads(self._call("GET", f"/v1/tcode/templates/tdoc/{_at(id)}", "application/json", {}, {})))

    def get_trust_bulk_errors(self, job_id: str) -> bytes:
        """The rows to correct, as they were sent.

        The failed rows of a job, with the columns of its file and a last one, `_error`, that says why: correct them, and send the file as a new job with
        the same archive. `_error` is not read. If the job's files were not good, it has all rows, since none was made; `_error` is empty where
        a row is good. Delimiter as sent, UTF-8 with a byte order mark; cells that a spreadsheet would compute begin with an apostrophe, which is taken away
        again when the file is read.
        """
        return self._call("GET", f"/v1/trust/bulk-jobs/{_at(job_id)}/errors.csv", "text/csv", {}, {})

    def get_trust_bulk_job(self, job_id: str) -> BulkJobDetailEnvelope:
        """One job, with what is wrong with its files.

        The job with its settings and counts, and with the problems that were found in its files.
        """
        return cast(BulkJobDetailEnvelope, json.loads(self._call("GET", f"/v1/trust/bulk-jobs/{_at(job_id)}", "application/json", {}, {})))

    def get_trust_bulk_progress(self, job_id: str) -> BulkProgressEnvelope:
        """How far a job is.

        How many rows are done, and how long the rest may take. It is cheap: ask for it every second or so.
        """
        return cast(BulkProgressEnvelope, json.loads(self._call("GET", f"/v1/trust/bulk-jobs/{_at(job_id)}/progress", "application/json", {}, {})))

    def get_trust_bulk_results(self, job_id: str) -> bytes:
        """What was made, in one archive.

        The PDFs of the documents, with their TCodes if they have any. Each is named by the row's file and its reference. `manifest.csv` has a line for each row: what became of it, its warnings, and the name in the
        archive. Made as it is sent, so that its length is not known; one that is cut short has no directory, and no program takes it.
        """
        return self._call("GET", f"/v1/trust/bulk-jobs/{_at(job_id)}/results.zip", "application/zip", {}, {})

    def get_trust_csv_fields(self, id: str) -> TCodeCsvFieldsEnvelope:
        """The columns of a CSV file of such documents.

        As `text/csv` a file to fill in: the header line and a line of examples, in UTF-8 with a byte order mark, as spreadsheets need it.
        """
        return cast(TCodeCsvFieldsEnvelope, json.loads(self._call("GET", f"/v1/trust/templates/{_at(id)}/csv-fields", "application/json", {}, {})))

    def get_trust_object(self, sha256: str) -> bytes:
        """A bundle, status document, pack, delta, status shard or survivor list by its hash.

        Signed notes come as text, status shards as the zlib of their compact form; their hash is over the 16,384 bytes of the
        shard. Packs, which name up to 128 shards each, deltas, and survivor lists of compromised keys come as they are. Never
        changes, so it may be cached forever.
        """
        return self._call("GET", f"/v1/reference-data/trust-store/{_at(sha256)}", "application/octet-stream, application/zlib, text/plain", {}, {})

    def get_trust_pack(self, sha256: str) -> bytes:
        """A pack of status shards with its shards, by the hash of the pack.

        The compact forms of up to 128 status shards, one after the other, as zlib: what a device fetches that holds none of them.
        Their hashes make the pack. May be cached forever: other bytes under this name hold the same shards.
        """
        return self._call("GET", f"/v1/reference-data/trust-store/packs/{_at(sha256)}", "application/zlib", {}, {})

    def get_trust_root(self, version: int) -> bytes:
        """One version of the trust root.

        A C2SP signed note. Never changes, so it may be cached forever.
        """
        return self._call("GET", f"/v1/reference-data/trust-store/root/{_at(version)}", "text/plain", {}, {})

    def get_trust_template(self, id: str) -> TrustTemplateEnvelope:
        """One template.

        The template as it was made or last changed. Its `ETag` goes into `If-Match` of a change.
        """
        return cast(TrustTemplateEnvelope, json.loads(self._call("GET", f"/v1/trust/templates/{_at(id)}", "application/json", {}, {})))

    def get_trust_time(self, *, nonce: str) -> bytes:
        """What time it is, signed.

        A C2SP signed note of the trust root, the nonce and the gateway's time, made for this request: a proof of time for a
        device whose clock cannot be believed. Draw 32 random bytes for each request. Never cached; counted by address, apart from
        look-ups.
        """
        return self._call("GET", "/v1/reference-data/trust-store/time", "text/plain", {"nonce": nonce}, {})

    def get_trust_timestamp(self) -> bytes:
        """The newest timestamp document.

        A C2SP signed note naming the current bundle and status documents by version and hash. Not to be cached.
        """
        return self._call("GET", "/v1/reference-data/trust-store/timestamp", "text/plain", {}, {})

    def get_usage(self, *, month: str | None = None, days: int | None = None) -> UsageEnvelope:
        """Use of the plan in a month, and what was issued and verified by day.

        Counts are those that the plan's quotas compare: each is written in the transaction of its operation, but requests once a second. The days
        are counted apart and cover live documents only: test documents have none.
        """
        return cast(UsageEnvelope, json.loads(self._call("GET", "/v1/usage", "application/json", {"Month": month, "Days": days}, {})))

    def get_webhook(self, id: str) -> WebhookEnvelope:
        """One endpoint.

        With the numbers of its deliveries of the last 24 hours.
        """
        return cast(WebhookEnvelope, json.loads(self._call("GET", f"/v1/webhooks/{_at(id)}", "application/json", {}, {})))

    def get_webhook_delivery(self, id: str, delivery_id: str) -> WebhookDeliveryEnvelope:
        """One delivery with its tries.

        `body` is what is sent, byte for byte.
        """
        return cast(WebhookDeliveryEnvelope, json.loads(self._call("GET", f"/v1/webhooks/{_at(id)}/deliveries/{_at(delivery_id)}", "application/json", {}, {})))

    def healthz(self) -> Health:
        """The process is alive.

        Answers as long as the process serves requests, whatever the state of database and disk. For the supervisor that restarts it.
        """
        return cast(Health, json.loads(self._call("GET", "/healthz", "application/json", {}, {})))

    def issue_document(self, body: TrustIssuanceRequest, *, idempotency_key: str | None = None) -> TrustDocumentEnvelope:
        """Issue a Trust document.

        Signs what the document says (its canonical text) and stores it. With `issuancePath` `tcode` or `both` the PDF gets a TCode where the
        template's placement says; the document then owns that stamp, which is revoked, suspended and expires with it.

        A document without `externalId` that has the same template, recipient and values as one that stands is 409 `DUPLICATE`; an `externalId`
        of your own says that it is another one.
        """
        return cast(TrustDocumentEnvelope, json.loads(self._call("POST", "/v1/trust/issuances", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def list_api_keys(self, *, page: int | None = None, page_size: int | None = None) -> ApiKeyPage:
        """API keys, newest first.

        All keys of the tenant, also expired and revoked ones. A key is kept only as a hash, so no answer repeats its text.
        """
        return cast(ApiKeyPage, json.loads(self._call("GET", "/v1/api-keys", "application/json", {"Page": page, "PageSize": page_size}, {})))

    def list_audit(self, *, action: str | None = None, actor: Literal['key', 'operator', 'user', 'system'] | None = None, by: str | None = None, subject: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, page_size: int | None = None) -> AuditPage:
        """The audit log, newest first.

        One row for each change of the tenant's things, written in the transaction of the change. Rows are never altered or removed. They name keys by their prefix and people by their
        id, and have no names, field values or secrets. As `text/csv` the answer has all rows that the filters select, whatever the page, in UTF-8 with a byte order mark.
        """
        return cast(AuditPage, json.loads(self._call("GET", "/v1/audit", "application/json", {"Action": action, "Actor": actor, "By": by, "Subject": subject, "From": from_, "To": to, "Page": page, "PageSize": page_size}, {})))

    def list_devices(self, *, refused: bool | None = None, flagged: bool | None = None, freshness: Literal['fresh', 'stale', 'too_old', 'unknown'] | None = None, page: int | None = None, page_size: int | None = None) -> DevicePage:
        """Devices that signed scans of the tenant's stamps, the last ones first.

        A device belongs to no tenant. Here are those whose signed scans of the tenant's own stamps arrived, with what these scans showed. The name and the refusal are the tenant's own: no other tenant sees them.
        """
        return cast(DevicePage, json.loads(self._call("GET", "/v1/devices", "application/json", {"Refused": refused, "Flagged": flagged, "Freshness": freshness, "Page": page, "PageSize": page_size}, {})))

    def list_document_types(self) -> DocumentTypeInfoList:
        """Active document types.

        Maps the `DK` field of a payload to names.
        """
        return cast(DocumentTypeInfoList, json.loads(self._call("GET", "/v1/reference-data/document-types", "application/json", {}, {})))

    def list_document_verifications(self, *, from_: str | None = None, to: str | None = None, page: int | None = None, page_size: int | None = None) -> TrustVerificationPage:
        """Who verified the tenant's documents.

        Without a key, with one that is no good, as `X-Api-Key-Problem` says, or without the entitlement to history, an empty page.
        """
        return cast(TrustVerificationPage, json.loads(self._call("GET", "/v1/trust/verify/history", "application/json", {"From": from_, "To": to, "Page": page, "PageSize": page_size}, {})))

    def list_documents(self, *, search: str | None = None, template_id: str | None = None, status: str | None = None, date_range: str | None = None, field_name: str | None = None, field_value: str | None = None, sort: Literal['-createdAt', 'createdAt'] | None = None, test: bool | None = None, page: int | None = None, page_size: int | None = None) -> TrustDocumentPage:
        """List documents, newest first.

        Summaries of Trust documents, a page at a time. Filters narrow the list down together: a document is listed if all of them hold.
        """
        return cast(TrustDocumentPage, json.loads(self._call("GET", "/v1/trust/issuances", "application/json", {"Search": search, "TemplateId": template_id, "Status": status, "DateRange": date_range, "FieldName": field_name, "FieldValue": field_value, "Sort": sort, "Test": test, "Page": page, "PageSize": page_size}, {})))

    def list_placement_templates(self, *, page: int | None = None, page_size: int | None = None) -> TCodePlacementTemplateList:
        """Placement templates, newest first.

        The tenant's placement templates.
        """
        return cast(TCodePlacementTemplateList, json.loads(self._call("GET", "/v1/tcode/templates/placement", "application/json", {"Page": page, "PageSize": page_size}, {})))

    def list_public_keys(self) -> PublicKeyList:
        """Keys that may still verify, of all active tenants.

        JSON Web Keys with whose they are. With them a program checks the signature of a payload without the gateway.
        """
        return cast(PublicKeyList, json.loads(self._call("GET", "/v1/reference-data/public-keys", "application/json", {}, {})))

    def list_scans(self, reference: str, *, from_: str | None = None, to: str | None = None, finding: Literal['any', 'test_document', 'payload_on_other_file', 'accepted_unknown', 'revoked_when_scanned', 'suspended_when_scanned', 'refused_on_device', 'revoked_since', 'suspended_since', 'added_to_file', 'clock_was_ahead', 'undecided_on_device'] | None = None, page: int | None = None, page_size: int | None = None) -> TCodeScanPage:
        """Scans of a stamp, newest first.

        Everybody sees `verdict`, `gatewayVerdict` and `verifiedAt`. `verdict` is the worse of what the device and the gateway said:
        a genuine stamp on another file is `not_found`. With a key, the stamp's own tenant, if its plan includes `history`, also sees who
        scanned, where and what the device had decided. An unknown reference is an empty page.
        """
        return cast(TCodeScanPage, json.loads(self._call("GET", f"/v1/tcode/verify/document/{_at(reference)}/scans", "application/json", {"From": from_, "To": to, "Finding": finding, "Page": page, "PageSize": page_size}, {})))

    def list_signing_keys(self) -> SigningKeyList:
        """Signing keys of the tenant.

        By their number. The operator and the console rotate, retire and compromise them.
        """
        return cast(SigningKeyList, json.loads(self._call("GET", "/v1/signing-keys", "application/json", {}, {})))

    def list_stamps(self, *, search: str | None = None, template_id: str | None = None, status: str | None = None, date_range: str | None = None, field_name: str | None = None, field_value: str | None = None, sort: Literal['-createdAt', 'createdAt'] | None = None, test: bool | None = None, page: int | None = None, page_size: int | None = None) -> TCodeStampPage:
        """List stamps, newest first.

        Summaries of stamps, a page at a time. Filters narrow the list down together: a stamp is listed if all of them hold.
        """
        return cast(TCodeStampPage, json.loads(self._call("GET", "/v1/tcode/stamps", "application/json", {"Search": search, "TemplateId": template_id, "Status": status, "DateRange": date_range, "FieldName": field_name, "FieldValue": field_value, "Sort": sort, "Test": test, "Page": page, "PageSize": page_size}, {})))

    def list_tcode_bulk_jobs(self, *, page: int | None = None, page_size: int | None = None) -> BulkJobPage:
        """List bulk jobs of stamps, newest first.

        The tenant's jobs that make stamps, of all states.
        """
        return cast(BulkJobPage, json.loads(self._call("GET", "/v1/tcode/bulk-jobs", "application/json", {"Page": page, "PageSize": page_size}, {})))

    def list_tcode_bulk_rows(self, job_id: str, *, state: BulkRowState | None = None, page: int | None = None, page_size: int | None = None) -> BulkRowPage:
        """What became of each row.

        In the order of the file. There are none before all rows were found good.
        """
        return cast(BulkRowPage, json.loads(self._call("GET", f"/v1/tcode/bulk-jobs/{_at(job_id)}/rows", "application/json", {"State": state, "Page": page, "PageSize": page_size}, {})))

    def list_tdoc_templates(self, *, include_archived: bool | None = None, page: int | None = None, page_size: int | None = None) -> TCodeTdocTemplateList:
        """TDoc templates, newest first.

        The tenant's TDoc templates, without the archived ones unless `includeArchived` asks for them.
        """
        return cast(TCodeTdocTemplateList, json.loads(self._call("GET", "/v1/tcode/templates/tdoc", "application/json", {"includeArchived": include_archived, "Page": page, "PageSize": page_size}, {})))

    def list_tenants(self) -> TenantInfoList:
        """Active tenants.

        Maps the 6-character issuer code of a payload to a name.
        """
        return cast(TenantInfoList, json.loads(self._call("GET", "/v1/reference-data/tenants", "application/json", {}, {})))

    def list_trust_bulk_jobs(self, *, page: int | None = None, page_size: int | None = None) -> BulkJobPage:
        """List bulk jobs of Trust documents, newest first.

        The tenant's jobs that issue Trust documents, of all states.
        """
        return cast(BulkJobPage, json.loads(self._call("GET", "/v1/trust/bulk-jobs", "application/json", {"Page": page, "PageSize": page_size}, {})))

    def list_trust_bulk_rows(self, job_id: str, *, state: BulkRowState | None = None, page: int | None = None, page_size: int | None = None) -> BulkRowPage:
        """What became of each row.

        In the order of the file. There are none before all rows were found good.
        """
        return cast(BulkRowPage, json.loads(self._call("GET", f"/v1/trust/bulk-jobs/{_at(job_id)}/rows", "application/json", {"State": state, "Page": page, "PageSize": page_size}, {})))

    def list_trust_templates(self, *, include_archived: bool | None = None, page: int | None = None, page_size: int | None = None) -> TrustTemplatePage:
        """Trust templates, newest first.

        The tenant's Trust templates.
        """
        return cast(TrustTemplatePage, json.loads(self._call("GET", "/v1/trust/templates", "application/json", {"includeArchived": include_archived, "Page": page, "PageSize": page_size}, {})))

    def list_verifications(self, *, from_: str | None = None, to: str | None = None, page: int | None = None, page_size: int | None = None) -> TCodeVerificationPage:
        """Verifications of the tenant's documents, newest first.

        Whose documents they are is known by the key. Without a key, with one that is no good, as `X-Api-Key-Problem` says, or with one whose
        tenant's plan does not include `history`, the page is empty. The history is
        written in groups: a verification appears here within a second of its answer, and those of the last second may be missing
        after a power cut. Scans that devices handed in are listed by document.
        """
        return cast(TCodeVerificationPage, json.loads(self._call("GET", "/v1/tcode/verify/history", "application/json", {"From": from_, "To": to, "Page": page, "PageSize": page_size}, {})))

    def list_webhook_deliveries(self, id: str, *, state: Literal['Waiting', 'Delivered', 'Failed'] | None = None, page: int | None = None, page_size: int | None = None) -> WebhookDeliveryPage:
        """Deliveries to an endpoint, newest first.

        Those that ended are kept for 30 days.
        """
        return cast(WebhookDeliveryPage, json.loads(self._call("GET", f"/v1/webhooks/{_at(id)}/deliveries", "application/json", {"State": state, "Page": page, "PageSize": page_size}, {})))

    def list_webhooks(self) -> WebhookList:
        """Endpoints for events, oldest first.

        A tenant has at most 20.
        """
        return cast(WebhookList, json.loads(self._call("GET", "/v1/webhooks", "application/json", {}, {})))

    def patch_device(self, scanner_id: str, body: DevicePatch) -> DeviceEnvelope:
        """Name a device.

        Only the tenant sees the name. An empty one removes it.
        """
        return cast(DeviceEnvelope, json.loads(self._call("PATCH", f"/v1/devices/{_at(scanner_id)}", "application/json", {}, {}, body)))

    def patch_placement_template(self, id: str, body: TCodePlacementTemplatePatch, *, if_match: str | None = None) -> TCodePlacementTemplateEnvelope:
        """Change some members of a template.

        A JSON merge patch (RFC 7396), in the media types of all requests: a member that the body leaves out stays as it is, null
        unsets it, and a list replaces the whole list. Documents that exist stay as they are.
        """
        return cast(TCodePlacementTemplateEnvelope, json.loads(self._call("PATCH", f"/v1/tcode/templates/placement/{_at(id)}", "application/json", {}, {"If-Match": if_match}, body)))

    def patch_tdoc_template(self, id: str, body: TCodeTdocTemplatePatch, *, if_match: str | None = None) -> TCodeTdocTemplateEnvelope:
        """Change some members of a template.

        A JSON merge patch (RFC 7396), in the media types of all requests: a member that the body leaves out stays as it is, null
        unsets it, and a list replaces the whole list. Documents that exist stay as they are.
        """
        return cast(TCodeTdocTemplateEnvelope, json.loads(self._call("PATCH", f"/v1/tcode/templates/tdoc/{_at(id)}", "application/json", {}, {"If-Match": if_match}, body)))

    def patch_trust_template(self, id: str, body: TrustTemplatePatch, *, if_match: str | None = None) -> TrustTemplateEnvelope:
        """Change some members of a template.

        A JSON merge patch (RFC 7396), in the media types of all requests: a member that the body leaves out stays as it is, null
        unsets it, and a list replaces the whole list. Documents that exist stay as they are.
        """
        return cast(TrustTemplateEnvelope, json.loads(self._call("PATCH", f"/v1/trust/templates/{_at(id)}", "application/json", {}, {"If-Match": if_match}, body)))

    def patch_webhook(self, id: str, body: WebhookPatch) -> WebhookEnvelope:
        """Change address or events of an endpoint.

        What is absent stays. Deliveries that wait go to the new address.
        """
        return cast(WebhookEnvelope, json.loads(self._call("PATCH", f"/v1/webhooks/{_at(id)}", "application/json", {}, {}, body)))

    def place_trust_template(self, id: str, body: TrustPlacementRequest, *, if_match: str | None = None) -> TrustTemplateEnvelope:
        """Set where the TCode of new documents goes.

        Takes a placement template; none is the default place.
        """
        return cast(TrustTemplateEnvelope, json.loads(self._call("PUT", f"/v1/trust/templates/{_at(id)}/placement", "application/json", {}, {"If-Match": if_match}, body)))

    def preview_placement(self, body: TCodePlacementPreviewRequest) -> TCodePlacementPreviewEnvelope:
        """Show what a stamp would look like.

        Draws a specimen on the PDF and throws it away: nothing is stored, no stamp is counted, and the specimen proves nothing. The answer has the
        page as a PNG in colour, where the parts of the stamp lie, what is in its way and the grade a real stamp would have. As `image/png` it is
        the page alone. Where a stamp would be refused for its place or its looks, the answer is 200 with the `refusal`, and the stamp is drawn where
        it was meant to be.
        """
        return cast(TCodePlacementPreviewEnvelope, json.loads(self._call("POST", "/v1/tcode/templates/placement/preview", "application/json", {}, {}, body)))

    def reactivate_stamp(self, id: str, body: TCodeLifecycleActionRequest | None = None) -> None:
        """Make a suspended stamp active again.

        From `Suspended` back to `Active`. A revoked stamp stays revoked.
        """
        self._call("POST", f"/v1/tcode/stamps/{_at(id)}/reactivate", "application/json", {}, {}, body)

    def readyz(self) -> Health:
        """The gateway can serve.

        200 if the gateway can do what a tenant needs. 503 names in `errors` each part that is not ready: `database` takes no changes, `signer`
        cannot open its keys or cannot sign, `publication` has stopped, `files` cannot be stored, `stampers` neither start nor end a task within the
        time of a request (busy ones are ready), `hung` says that many items hang, `draining` that the gateway is about to end. A gateway that cannot
        store files still answers everything that reads. Answers about the database and the stampers hold for some seconds.
        """
        return cast(Health, json.loads(self._call("GET", "/readyz", "application/json", {}, {})))

    def redeliver_failed_webhooks(self, id: str, body: WebhookRedeliverRequest | None = None) -> WebhookRedeliveryEnvelope:
        """Send all failed deliveries again.

        Each gets up to ten more tries. A disabled endpoint is 409.
        """
        return cast(WebhookRedeliveryEnvelope, json.loads(self._call("POST", f"/v1/webhooks/{_at(id)}/redeliver-failed", "application/json", {}, {}, body)))

    def redeliver_webhook(self, id: str, delivery_id: str) -> None:
        """Send a delivery again.

        In whatever state it is, with up to ten more tries. A disabled endpoint is 409. Takes no body.
        """
        self._call("POST", f"/v1/webhooks/{_at(id)}/deliveries/{_at(delivery_id)}/redeliver", "application/json", {}, {})

    def refuse_device(self, scanner_id: str, body: DeviceRefusal) -> DeviceEnvelope:
        """Mark the scans of a device.

        A refusal marks, and drops nothing: the scans of the tenant's stamps that arrive from now on are stored as before, each once, and are listed with `deviceRefused` until the device is accepted again. The device and
        other tenants notice nothing: a batch has the scans of several tenants' stamps, so only the operator of the gateway can refuse one. A new reason replaces the old one.
        """
        return cast(DeviceEnvelope, json.loads(self._call("POST", f"/v1/devices/{_at(scanner_id)}/refuse", "application/json", {}, {}, body)))

    def replace_document(self, id: str, body: TrustReplaceRequest, *, idempotency_key: str | None = None) -> TrustDocumentEnvelope:
        """Revoke a document and issue its successor.

        From `Active` or `Suspended`. The document becomes `Revoked` with `replacedBy`, the new one has a new reference and `replaces`; both happen
        or neither. What the body leaves out is taken over from the document, but for the PDF, which shows the mistake: without `pdf` the new
        document has none, and its `warnings` say so.
        """
        return cast(TrustDocumentEnvelope, json.loads(self._call("POST", f"/v1/trust/issuances/{_at(id)}/replace", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def replace_stamp(self, id: str, body: TCodeReplaceStampRequest, *, idempotency_key: str | None = None) -> TCodeStampEnvelope:
        """Revoke a stamp and issue its successor.

        From `Active` or `Suspended`. The stamp becomes `Revoked` with `replacedBy`, the new stamp has a new reference and `replaces`;
        both happen or neither. What the body leaves out is taken over from the stamp, its external id included. Verification of the old
        reference answers `revoked` and names the successor.
        """
        return cast(TCodeStampEnvelope, json.loads(self._call("POST", f"/v1/tcode/stamps/{_at(id)}/replace", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def resend_document(self, id: str, body: TrustResendRequest | None = None) -> TrustDocumentEnvelope:
        """Send the e-mail of a document again, or to another address.

        With `recipientEmail` the document gets that address; the signature does not cover it. A message that waits for its next try is tried now.
        The first message stays with its reader. A document that has ended is not sent, nor one whose message is being sent at this moment.
        """
        return cast(TrustDocumentEnvelope, json.loads(self._call("POST", f"/v1/trust/issuances/{_at(id)}/delivery/resend", "application/json", {}, {}, body)))

    def retry_tcode_bulk_job(self, job_id: str) -> BulkJobEnvelope:
        """Once more, the rows that did not succeed.

        The job is `CompletedWithErrors`, `Failed` or `Cancelled`. One whose files were not good is checked again: a template may have changed.
        Takes no body.
        """
        return cast(BulkJobEnvelope, json.loads(self._call("POST", f"/v1/tcode/bulk-jobs/{_at(job_id)}/retry", "application/json", {}, {})))

    def retry_trust_bulk_job(self, job_id: str) -> BulkJobEnvelope:
        """Once more, the rows that did not succeed.

        The job is `CompletedWithErrors`, `Failed` or `Cancelled`. One whose files were not good is checked again: a template may have changed.
        Takes no body.
        """
        return cast(BulkJobEnvelope, json.loads(self._call("POST", f"/v1/trust/bulk-jobs/{_at(job_id)}/retry", "application/json", {}, {})))

    def revoke_api_key(self, prefix: str) -> None:
        """End an API key.

        What uses it gets 401 from now on. Bulk jobs and orders that it began and that are not over end in the same step: a job is `Failed`, and the rows that were not made are `Skipped` until someone has the job retried.
        All else that it made stays as it is; `leftBehind` of the key lists it. Ending a key twice is no error; a key may end itself. Takes no body.
        """
        self._call("POST", f"/v1/api-keys/{_at(prefix)}/revoke", "application/json", {}, {})

    def revoke_stamp(self, id: str, body: TCodeLifecycleActionRequest | None = None) -> None:
        """Revoke a stamp permanently.

        From `Active` or `Suspended`. Devices learn of it with their next refresh. A revoked stamp stays revoked.
        """
        self._call("POST", f"/v1/tcode/stamps/{_at(id)}/revoke", "application/json", {}, {}, body)

    def rotate_api_key(self, prefix: str, body: ApiKeyRotateRequest | None = None, *, idempotency_key: str | None = None) -> NewApiKeyEnvelope:
        """Make a new key in the place of one.

        The new key has the name, the kind and the scopes of the old one. The old one still works for `overlapHours`, but not longer than it would have anyway. Bulk jobs that the
        old one began go on as long as one of the two works, and end when the old one is revoked. As with a creation, only the first answer
        has the `secret`. A key that was revoked, has expired or was rotated before is 409 `INVALID_TRANSITION`: the message names the key that has its place.
        """
        return cast(NewApiKeyEnvelope, json.loads(self._call("POST", f"/v1/api-keys/{_at(prefix)}/rotate", "application/json", {}, {"Idempotency-Key": idempotency_key}, body)))

    def rotate_webhook_secret(self, id: str) -> NewWebhookEnvelope:
        """Give an endpoint a new secret.

        The answer has the only copy. The old secret signs as well for 24 hours; one from before it no longer signs, so do not repeat the request before the receiver has the new one. Takes no body.
        """
        return cast(NewWebhookEnvelope, json.loads(self._call("POST", f"/v1/webhooks/{_at(id)}/rotate-secret", "application/json", {}, {})))

    def set_retention(self, body: RetentionRequest) -> RetentionEnvelope:
        """Set how long each kind of data is kept.

        The body has the kinds whose times differ from the defaults; all others get their defaults again. What is older is deleted within an hour or two.
        """
        return cast(RetentionEnvelope, json.loads(self._call("PUT", "/v1/retention", "application/json", {}, {}, body)))

    def suspend_stamp(self, id: str, body: TCodeLifecycleActionRequest | None = None) -> None:
        """Suspend a stamp for the time being.

        From `Active`. Reactivation undoes it.
        """
        self._call("POST", f"/v1/tcode/stamps/{_at(id)}/suspend", "application/json", {}, {}, body)

    def sync_scans(self, body: TCodeBatchScanSyncRequest, *, t_code_batch_id: str | None = None, t_code_device_key: str | None = None, t_code_batch_signature: str | None = None, idempotency_key: str | None = None) -> TCodeBatchSyncEnvelope:
        """Hand in scans that were made offline.

        Each item is stored exactly once under `(scannerId, scanId)` and judged again, as of now and as of the time of the scan. At
        most 500 items or 1 MiB, inflated. Results are keyed by `scanId`; an item without a result is to be sent again.

        `batchId` stands in the body and in the header `TCode-Batch-Id`, which every answer echoes, errors too: an answer without
        it did not come from the gateway. A batch signed by a device key (`TCode-Device-Key`, `TCode-Batch-Signature`) counts as
        proof, any other as a claim. Claims are kept apart, so that an item that comes signed and unsigned is accepted twice; claims under the
        name of a device (`dev_`) get no receipt. Headers that do not verify are 401.

        One scan alone may be sent as `payload` and `context: {scannerId, location}` at the top; the gateway then makes the
        `scanId`, and `Idempotency-Key` protects a repeat.
        """
        return cast(TCodeBatchSyncEnvelope, json.loads(self._call("POST", "/v1/tcode/verify/sync", "application/json", {}, {"TCode-Batch-Id": t_code_batch_id, "TCode-Device-Key": t_code_device_key, "TCode-Batch-Signature": t_code_batch_signature, "Idempotency-Key": idempotency_key}, body)))

    def test_webhook(self, id: str) -> WebhookTestEnvelope:
        """Send a `ping` to an endpoint.

        The answer has what came of it. Nothing is stored, and the endpoint may be disabled. Takes no body.
        """
        return cast(WebhookTestEnvelope, json.loads(self._call("POST", f"/v1/webhooks/{_at(id)}/test", "application/json", {}, {})))

    def unarchive_tdoc_template(self, id: str, *, if_match: str | None = None) -> None:
        """Make an archived template active again.

        No error where it is active already. Takes no body.
        """
        self._call("POST", f"/v1/tcode/templates/tdoc/{_at(id)}/unarchive", "application/json", {}, {"If-Match": if_match})

    def unarchive_trust_template(self, id: str, *, if_match: str | None = None) -> None:
        """Make an archived template active again.

        No error where it is active already. Takes no body.
        """
        self._call("POST", f"/v1/trust/templates/{_at(id)}/unarchive", "application/json", {}, {"If-Match": if_match})

    def update_placement_template(self, id: str, body: TCodePlacementTemplateRequest, *, if_match: str | None = None) -> TCodePlacementTemplateEnvelope:
        """Replace what a template says.

        Takes the whole body of a creation; what it leaves out is unset, its `description` too. PATCH changes some members alone. Stamps that
        exist stay as they are.
        """
        return cast(TCodePlacementTemplateEnvelope, json.loads(self._call("PUT", f"/v1/tcode/templates/placement/{_at(id)}", "application/json", {}, {"If-Match": if_match}, body)))

    def update_tdoc_template(self, id: str, body: TCodeTdocTemplateRequest, *, if_match: str | None = None) -> TCodeTdocTemplateEnvelope:
        """Replace what a template says.

        Takes the whole body of a creation; what it leaves out is unset, its `description` too. PATCH changes some members alone. Stamps that
        exist stay as they are.
        """
        return cast(TCodeTdocTemplateEnvelope, json.loads(self._call("PUT", f"/v1/tcode/templates/tdoc/{_at(id)}", "application/json", {}, {"If-Match": if_match}, body)))

    def update_trust_template(self, id: str, body: TrustTemplateUpdateRequest, *, if_match: str | None = None) -> TrustTemplateEnvelope:
        """Replace name, description and fields of a template.

        For new documents only; those that exist stay as they are. What the body leaves out is unset, its `description` too; PATCH changes some
        members alone. The document type stays: a
        `documentTypeCode` must be the template's own.
        """
        return cast(TrustTemplateEnvelope, json.loads(self._call("PUT", f"/v1/trust/templates/{_at(id)}", "application/json", {}, {"If-Match": if_match}, body)))

    def verify_by_hash(self, hash: str) -> TCodeVerificationEnvelope:
        """Look a document up by its content.

        The hash is the SHA-256 of the file in hexadecimal, of the stamped PDF or of the original that was sent; `matchedOn` says which.
        An original that several issuers stamped answers for the one that stamped it first, whatever the others do with their copies; live stamps
        answer before test ones. The answer is about the newest active one of that issuer's stamps on it, else the newest; `matchCount` says how
        many there are, those of others not counted. Anything unknown or malformed gets the verdict `not_found`.
        """
        return cast(TCodeVerificationEnvelope, json.loads(self._call("GET", f"/v1/tcode/verify/hash/{_at(hash)}", "application/json", {}, {})))

    def verify_by_reference(self, reference: str) -> TCodeVerificationEnvelope:
        """Look a stamp up by its reference.

        The reference is understood as people type it: in any case, with I, L and O for 1, 1 and 0, with any dashes or none, and with
        punctuation around it. Unknown and malformed ones get the verdict `not_found`, not an error.
        """
        return cast(TCodeVerificationEnvelope, json.loads(self._call("GET", f"/v1/tcode/verify/reference/{_at(reference)}", "application/json", {}, {})))

    def verify_document_by_hash(self, body: TrustVerifyHashRequest) -> TrustVerificationEnvelope:
        """Look a Trust document up by its content.

        The SHA-256 of the document's canonical text, or of its PDF, stamped or as it was sent. A PDF that several issuers sent answers for the
        one that issued it first, live documents before test ones. The answer is about the newest active one of that issuer's documents with it, else the
        newest; `matchCount` says how many there are, those of others not counted.
        """
        return cast(TrustVerificationEnvelope, json.loads(self._call("POST", "/v1/trust/verify/by-hash", "application/json", {}, {}, body)))

    def verify_document_by_reference(self, body: TrustVerifyReferenceRequest) -> TrustVerificationEnvelope:
        """Look a Trust document up by its reference.

        A reference that is malformed or that nothing has is the verdict `not_found`, not an error.
        """
        return cast(TrustVerificationEnvelope, json.loads(self._call("POST", "/v1/trust/verify/by-reference", "application/json", {}, {}, body)))

    def verify_payload(self, body: TCodeVerifyPayloadRequest) -> TCodeVerificationEnvelope:
        """Check a barcode's payload.

        Checks the signature and looks the stamp up. A payload that cannot be decoded is 400 `INVALID_PAYLOAD`; one that decodes and
        fails a later check gets the verdict `not_found` with the failed check. `context` is kept with the result in the history of the stamp's
        issuer. With its `scannerId`, a verification is also one of the scans of the stamp, as one that a scanner hands in without a signature; beyond the
        budgets of such scans it is in the history alone.
        """
        return cast(TCodeVerificationEnvelope, json.loads(self._call("POST", "/v1/tcode/verify", "application/json", {}, {}, body)))

    def verify_public_key(self, *, payload: str | None = None, tenant_reference: str | None = None, key_id: str | None = None) -> PublicKeyEnvelope:
        """The key of a payload, of a tenant, or the gateway's online key.

        With `payload`: the key that signed it, by what it says; nothing is verified. With `tenantReference`: that tenant's signing key, or the
        one that `keyId` names. Without parameters: the key that signs the trust documents, with the fingerprint of the trust root that vouches
        for it. **That one signs no payload**: its `tenantReference` is null.
        """
        return cast(PublicKeyEnvelope, json.loads(self._call("GET", "/v1/tcode/verify/public-key", "application/json", {"payload": payload, "tenantReference": tenant_reference, "keyId": key_id}, {})))
