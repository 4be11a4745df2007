"""Writes the files of one release: serialize.py WHEEL RELEASE FOLDER. export.py starts it with the unpacked wheel."""

import dataclasses
import importlib.machinery
import inspect
import struct
import sys
import types
from pathlib import Path


class Absent(types.ModuleType):
    """A module that replaces a missing one: every attribute exists and does nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (), {}) if name[0].isupper() else Absent(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value

    def __call__(self, *arguments, **_):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self


class StandIns:
    """Provides replacements for the packages that only exporters need."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in ("sympy", "torch") else None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def load(wheel):
    sys.dont_write_bytecode = True
    sys.meta_path.insert(0, StandIns())
    sys.path.insert(0, str(wheel))
    # The __init__.py of these packages imports the exporter.
    for package in ("executorch", "executorch.exir"):
        module = types.ModuleType(package)
        module.__path__ = [str(wheel / package.replace(".", "/"))]
        sys.modules[package] = module
    # Only these two constants of the module matter to a serializer.
    tensor = types.ModuleType("executorch.exir.tensor")
    tensor.ALIGNMENT = 16
    tensor.__getattr__ = lambda name: Absent(name)
    sys.modules[tensor.__name__] = tensor


def make(kind, **values):
    """Returns an object of the release's schema, without the fields that the release doesn't have."""
    names = {field.name for field in dataclasses.fields(kind)}
    if "constant_buffer_idx" in names:
        values["constant_buffer_idx"] = values.pop("data_buffer_idx", 0)
    return kind(**{name: value for name, value in values.items() if name in names})


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


class Release:
    def __init__(self):
        from executorch.exir import schema
        from executorch.exir._serialize import _program
        from executorch.exir.scalar_type import ScalarType

        self.schema, self.program_module, self.scalar_type = schema, _program, ScalarType

    def value(self, kind, **values):
        return self.schema.EValue(make(getattr(self.schema, kind), **values))

    def tensor(self, offset=None, constant=0, name=None):
        """A tensor of 2 × 2 floats: planned at an offset, with a constant, or with a name in a data file."""
        planned = None if offset is None else self.schema.AllocationDetails(memory_id=1, memory_offset_low=offset, memory_offset_high=0)
        extra = None
        if name:
            extra = make(self.schema.ExtraTensorInfo, fully_qualified_name=name, location=self.schema.TensorDataLocation.EXTERNAL)
        return self.value("Tensor", scalar_type=self.scalar_type.FLOAT, storage_offset=0, sizes=[2, 2], dim_order=[0, 1],
                          requires_grad=False, layout=0, data_buffer_idx=constant, allocation_info=planned,
                          shape_dynamism=self.schema.TensorShapeDynamism.STATIC, extra_tensor_info=extra)

    def call(self, kind, **values):
        return self.schema.Instruction(getattr(self.schema, kind)(**values))

    def method(self, values, instructions, name="forward", inputs=(0,), outputs=(1,), operators=(("aten::mul", "out"),), delegates=()):
        schema = self.schema
        chain = schema.Chain(inputs=list(inputs), outputs=list(outputs), instructions=instructions, stacktrace=None)
        return make(schema.ExecutionPlan, name=name, container_meta_type=schema.ContainerMetadata("", ""), values=values, inputs=list(inputs),
                    outputs=list(outputs), chains=[chain], operators=[schema.Operator(*operator) for operator in operators],
                    delegates=list(delegates), non_const_buffer_sizes=[0, 64])

    def program(self, methods, constants=(), blobs=()):
        schema = self.schema
        buffers = [schema.Buffer(b""), *(schema.Buffer(data) for data in constants)]
        blobs = [schema.BackendDelegateInlineData(data) for data in blobs]
        return make(schema.Program, version=0, execution_plan=methods, constant_buffer=buffers, backend_delegate_data=blobs, segments=[],
                    constant_segment=schema.SubsegmentOffsets(segment_index=0, offsets=[]))

    def bytes_of(self, program, **options):
        serialize = self.program_module.serialize_pte_binary
        if "pte_file" in inspect.signature(serialize).parameters:
            program = self.program_module.PTEFile(program=program)
        return bytes(serialize(program, **options))

    def files(self):
        mul = self.call("KernelCall", op_index=0, args=[0, 2, 1, 1])
        times = [self.tensor(0), self.tensor(16), self.tensor(constant=1)]
        weight = floats(0.5, -1.0, 2.0, 4.0)
        yield "constants.pte", self.bytes_of(self.program([self.method(times, [mul])], [weight]))

        values = [self.tensor(0), self.tensor(16), self.tensor(constant=1), self.value("Null"), self.value("Int", int_val=-3),
                  self.value("Bool", bool_val=True), self.value("Double", double_val=0.25), self.value("String", string_val="text"),
                  self.value("IntList", items=[4, 4]), self.value("DoubleList", items=[0.5, -8.0]),
                  self.value("BoolList", items=[True, False]), self.value("TensorList", items=[0, 2]),
                  self.value("OptionalTensorList", items=[0, -1]), self.value("IntList", items=[])]
        yield "values.pte", self.bytes_of(self.program([self.method(values, [mul])], [weight]))

        flow = times + [self.value("Bool", bool_val=True), self.value("Int", int_val=1), self.value("Int", int_val=2)]
        steps = [self.call("MoveCall", move_from=4, move_to=5), mul, self.call("JumpFalseCall", cond_value_index=3, destination_instruction=1)]
        other = self.method([self.value("Int", int_val=7)], [], name="version", inputs=[], outputs=[0], operators=[])
        yield "control-flow.pte", self.bytes_of(self.program([self.method(flow, steps), other], [weight]))

        for name, extract in [("delegate-inline.pte", False), ("delegate-segment.pte", True)]:
            reference = self.schema.BackendDelegateDataReference(location=self.schema.DataLocation.INLINE, index=0)
            spec = sys.modules[self.schema.BackendDelegate.__module__].CompileSpec("level", b"\x02")
            delegate = self.schema.BackendDelegate(id="StubBackend", processed=reference, compile_specs=[spec])
            calls = [self.call("DelegateCall", delegate_index=0, args=[0, 1])]
            method = self.method([self.tensor(0), self.tensor(16)], calls, operators=[], delegates=[delegate])
            yield name, self.bytes_of(self.program([method], [], [b"blob of the backend"]), extract_delegate_segments=extract)

        try:
            from executorch.exir._serialize.data_serializer import DataEntry, DataPayload
            from executorch.exir.tensor_layout import TensorLayout
            from executorch.extension.flat_tensor.serialize.serialize import FlatTensorConfig, FlatTensorSerializer
        except ImportError:
            return  # The release has no data files, or only those of the legacy layout.
        external = [self.tensor(0), self.tensor(16), self.tensor(name="weight")]
        yield "external.pte", self.bytes_of(self.program([self.method(external, [mul])]))
        layout = TensorLayout(scalar_type=self.scalar_type.FLOAT, sizes=[2, 2], dim_order=[0, 1])
        payload = DataPayload(buffers=[weight], named_data={"weight": DataEntry(buffer_index=0, alignment=16, tensor_layout=layout)})
        yield "external.ptd", bytes(FlatTensorSerializer(FlatTensorConfig()).serialize(payload))


def main():
    wheel, _release, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    load(wheel)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in Release().files():
        (folder / name).write_bytes(data)


main()
