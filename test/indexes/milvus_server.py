"""usage: milvus_server.py FOLDER: milvus-lite's server on a free port, which it prints. It lets in whoever Milvus would where
authorization is enabled and the password is the first one: root, Milvus."""

import base64
import sys
from concurrent import futures

import grpc
from milvus_lite.adapter.grpc.servicer import MilvusServicer
from milvus_lite.db import MilvusLite
from pymilvus.grpc_gen import milvus_pb2_grpc

ALLOWED = base64.b64encode(b"root:Milvus").decode()


class Guard(grpc.ServerInterceptor):
    """Refuses calls without the right credentials in Milvus' words."""

    def intercept_service(self, continuation, details):
        given = dict(details.invocation_metadata).get("authorization")
        return continuation(details) if given == ALLOWED else grpc.unary_unary_rpc_method_handler(refuse)


def refuse(_request, context):
    context.abort(
        grpc.StatusCode.UNAUTHENTICATED,
        "auth check failure, please check username and password are correct",
    )


database = MilvusLite(sys.argv[1])
server = grpc.server(
    futures.ThreadPoolExecutor(max_workers=8),
    interceptors=[Guard()],
    options=[("grpc.max_receive_message_length", 2**28), ("grpc.max_send_message_length", 2**28)],
)
milvus_pb2_grpc.add_MilvusServiceServicer_to_server(MilvusServicer(database), server)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
try:
    server.wait_for_termination()
finally:
    server.stop(grace=1)
    database.close()
